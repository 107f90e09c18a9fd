import unittest

import requests
from clinician_site import app

CONTROL = "http://127.0.0.1:4400/_mock"


def control(path, body):
    response = requests.post(CONTROL + path, json=body)
    assert response.ok, response.text
    return response.json()


def sign_in(username):
    """Signs a clinician in at the site, without a browser. Returns the response of the callback."""
    site = app.test_client()
    authorize_url = site.get("http://127.0.0.1:3000/auth/login").location
    return site.get(control("/sign-in", {"authorizeURL": authorize_url, "as": username})["callback"])


class SignInTest(unittest.TestCase):
    def setUp(self):
        control("/reset", {})

    def test_only_the_profile_makes_a_clinician_verified(self):
        self.assertIs(sign_in("verified").json["verified"], True)
        self.assertIs(sign_in("pending").json["verified"], False)

    def test_a_forged_id_token_is_refused(self):
        for fault in ["badSignature", "wrongNonce", "wrongAudience"]:
            control("/faults", {"name": fault})
            with self.assertLogs(app.logger, "ERROR"):  # and does not print the traceback
                self.assertEqual(sign_in("verified").status_code, 500)

    def test_the_service_accepts_each_request(self):
        sign_in("verified")
        self.assertEqual(requests.get(f"{CONTROL}/report").json()["findings"], [])


if __name__ == "__main__":
    unittest.main()
