package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log"
	"net/http"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func cookie(r *http.Request, name string) string {
	found, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return found.Value
}

func main() {
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, "http://127.0.0.1:4400")
	if err != nil {
		log.Fatal(err)
	}
	// By default, oauth2 repeats a failed token request with the secret in the form, which hides the reason.
	endpoint := provider.Endpoint()
	endpoint.AuthStyle = oauth2.AuthStyleInHeader
	config := oauth2.Config{
		ClientID:     "default-openid",
		ClientSecret: "default-openid-client-secret",
		Endpoint:     endpoint,
		RedirectURL:  "http://127.0.0.1:3000/auth/callback",
		Scopes:       []string{"openid", "basic"},
	}
	idTokens := provider.Verifier(&oidc.Config{ClientID: config.ClientID})

	http.HandleFunc("GET /auth/login", func(w http.ResponseWriter, r *http.Request) {
		state, nonce := rand.Text(), rand.Text()
		verifier := oauth2.GenerateVerifier()
		// In the browser that starts the login. Add Secure: true for https.
		for name, value := range map[string]string{"state": state, "nonce": nonce, "verifier": verifier} {
			http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: "/auth", HttpOnly: true, SameSite: http.SameSiteLaxMode})
		}
		url := config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier))
		http.Redirect(w, r, url, http.StatusFound)
	})

	http.HandleFunc("GET /auth/callback", func(w http.ResponseWriter, r *http.Request) {
		ctx, code, state, verifier := r.Context(), r.FormValue("code"), cookie(r, "state"), cookie(r, "verifier")
		if state == "" || r.FormValue("state") != state {
			http.Error(w, "This browser did not start the sign-in.", http.StatusForbidden)
			return
		}
		if code == "" { // for example error=access_denied
			http.Error(w, "The sign-in was not completed.", http.StatusForbidden)
			return
		}
		token, err := config.Exchange(ctx, code, oauth2.VerifierOption(verifier))
		if err != nil {
			log.Print(err)
			http.Error(w, "The sign-in has failed.", http.StatusBadGateway)
			return
		}
		rawIDToken, _ := token.Extra("id_token").(string)
		idToken, err := idTokens.Verify(ctx, rawIDToken)
		if err != nil || idToken.Nonce != cookie(r, "nonce") {
			log.Print("invalid ID Token or nonce: ", err)
			http.Error(w, "The sign-in has failed.", http.StatusBadGateway)
			return
		}
		response, err := config.Client(ctx, token).Get("http://127.0.0.1:4400/api/v1/users/current")
		if err != nil {
			http.Error(w, "The profile is not available.", http.StatusBadGateway)
			return
		}
		defer response.Body.Close()
		var profile struct{ Verified bool }
		if err := json.NewDecoder(response.Body).Decode(&profile); err != nil || response.StatusCode != http.StatusOK {
			http.Error(w, "The profile is not available.", http.StatusBadGateway)
			return
		}
		json.NewEncoder(w).Encode(map[string]any{"user": idToken.Subject, "verified": profile.Verified})
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:3000", nil))
}
