package example;

import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.annotation.RegisteredOAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.DefaultOAuth2AuthorizationRequestResolver;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestCustomizers;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

@SpringBootApplication
@RestController
public class Site {
  public static void main(String[] args) {
    SpringApplication.run(Site.class, args);
  }

  @Bean
  SecurityFilterChain security(HttpSecurity http, ClientRegistrationRepository registrations) throws Exception {
    var resolver = new DefaultOAuth2AuthorizationRequestResolver(registrations, "/oauth2/authorization");
    resolver.setAuthorizationRequestCustomizer(OAuth2AuthorizationRequestCustomizers.withPkce());
    http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated());
    http.oauth2Login(login -> login
        .redirectionEndpoint(endpoint -> endpoint.baseUri("/auth/callback"))
        .authorizationEndpoint(endpoint -> endpoint.authorizationRequestResolver(resolver)));
    return http.build();
  }

  @GetMapping("/")
  Map<String, Object> user(@AuthenticationPrincipal OidcUser user,
      @RegisteredOAuth2AuthorizedClient("clinician") OAuth2AuthorizedClient client) {
    Map<?, ?> profile = RestClient.create().get().uri("http://127.0.0.1:4400/api/v1/users/current")
        .headers(headers -> headers.setBearerAuth(client.getAccessToken().getTokenValue()))
        .retrieve().body(Map.class);
    return Map.of("user", user.getSubject(), "verified", Boolean.TRUE.equals(profile.get("verified")));
  }
}
