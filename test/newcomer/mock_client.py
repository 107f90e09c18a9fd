"""Tests a sign-in against the mock provider. Needs only the standard library of Python."""
import json
import os
import secrets
import unittest
import urllib.error
import urllib.parse
import urllib.request

MOCK = os.environ["MOCK_URL"]
TOKEN = os.environ["MOCK_CONTROL_TOKEN"]
CLIENT = {"client_id": "default-profile", "client_secret": "default-profile-client-secret"}
REDIRECT_URI = "http://127.0.0.1:5001/callback"


def request(path, body=None, headers=None):
    """Returns the status of a response, and its document or the text of an error."""
    sent = urllib.request.Request(MOCK + path, data=body, headers=headers or {})
    try:
        with urllib.request.urlopen(sent, timeout=10) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def control(path, **body):
    """Calls the control API."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    return request(f"/_mock{path}", json.dumps(body).encode(), headers)


def sign_in(username):
    """Signs a clinician in, as a browser would, and redeems the code, as a site does."""
    state = secrets.token_urlsafe(32)
    query = {"client_id": CLIENT["client_id"], "response_type": "code", "scope": "basic", "state": state}
    authorize_url = f"{MOCK}/oauth/authorize?" + urllib.parse.urlencode({**query, "redirect_uri": REDIRECT_URI})
    _, signed_in = control("/sign-in", **{"authorizeURL": authorize_url, "as": username})
    callback = urllib.parse.parse_qs(urllib.parse.urlsplit(signed_in["callback"]).query)
    assert callback["state"] == [state]
    form = {"grant_type": "authorization_code", "code": callback["code"][0], "redirect_uri": REDIRECT_URI, **CLIENT}
    headers = {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"}
    return request("/oauth/token", urllib.parse.urlencode(form).encode(), headers)


def profile(tokens):
    return request("/api/v1/users/current", headers={"Authorization": f"Bearer {tokens['access_token']}"})


class SignInTest(unittest.TestCase):
    def setUp(self):
        control("/reset")

    def test_a_verified_clinician_signs_in(self):
        status, tokens = sign_in("verified")
        self.assertEqual(status, 200)
        self.assertIs(profile(tokens)[1]["verified"], True)

    def test_a_clinician_whose_tokens_have_ended_is_signed_out(self):
        _, tokens = sign_in("verified")
        self.assertEqual(control("/grants/expire", username="verified"), (200, {"grants": 1}))
        self.assertEqual(profile(tokens)[0], 401)

    def test_a_failure_of_the_service(self):
        control("/faults", name="serverError", endpoint="/oauth/token")
        self.assertEqual(sign_in("verified")[0], 500)

    def test_the_service_accepts_each_request(self):
        profile(sign_in("verified")[1])
        self.assertEqual(request("/_mock/report", headers={"Authorization": f"Bearer {TOKEN}"})[1]["findings"], [])


if __name__ == "__main__":
    unittest.main()
