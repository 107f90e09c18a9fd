import os
import secrets

from authlib.integrations.flask_client import OAuth
from flask import Flask

app = Flask(__name__)
app.secret_key = os.environ["SESSION_SECRET"]
oauth = OAuth(app)
oauth.register(
    name="clinician",
    client_id="default-openid",
    client_secret="default-openid-client-secret",
    server_metadata_url="http://127.0.0.1:4400/.well-known/openid-configuration",
    api_base_url="http://127.0.0.1:4400/api/v1/",
    client_kwargs={"scope": "openid basic", "code_challenge_method": "S256"},
)


@app.get("/auth/login")
def login():
    return oauth.clinician.authorize_redirect("http://127.0.0.1:3000/auth/callback", nonce=secrets.token_urlsafe(32))


@app.get("/auth/callback")
def callback():
    token = oauth.clinician.authorize_access_token()  # checks state, and the ID Token with its nonce
    response = oauth.clinician.get("users/current", token=token)
    response.raise_for_status()
    return {"user": token["userinfo"]["sub"], "verified": response.json().get("verified") is True}


if __name__ == "__main__":
    app.run(port=3000)
