using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Authentication.Cookies;
using Microsoft.AspNetCore.Authentication.OpenIdConnect;
using System.Net.Http.Headers;
using System.Text;

var builder = WebApplication.CreateBuilder(args);
builder.Services
    .AddAuthentication(options =>
    {
        options.DefaultScheme = CookieAuthenticationDefaults.AuthenticationScheme;
        options.DefaultChallengeScheme = OpenIdConnectDefaults.AuthenticationScheme;
    })
    .AddCookie()
    .AddOpenIdConnect(options =>
    {
        options.Authority = "http://127.0.0.1:4400";
        options.RequireHttpsMetadata = false; // only for the mock provider without TLS
        options.ClientId = "default-openid";
        options.ClientSecret = "default-openid-client-secret";
        options.CallbackPath = "/auth/callback";
        options.ResponseType = "code"; // with PKCE, by default
        options.ResponseMode = "query"; // the default, form_post, is not supported
        options.CorrelationCookie.SameSite = options.NonceCookie.SameSite = SameSiteMode.Lax;
        options.DisableTelemetry = true; // no unknown parameters
        options.MapInboundClaims = false; // the user is the claim sub
        options.SaveTokens = true; // to read the profile
        options.Scope.Clear();
        options.Scope.Add("openid");
        options.Scope.Add("basic");

        // The handler sends the secret in the form, and the service requires it in the Authorization header.
        options.Events.OnAuthorizationCodeReceived = context =>
        {
            context.TokenEndpointRequest!.ClientId = null;
            context.TokenEndpointRequest.ClientSecret = null;
            return Task.CompletedTask;
        };
        options.BackchannelHttpHandler = new ClientSecretBasic(options.ClientId, options.ClientSecret);
    });
builder.Services.AddAuthorization();
var app = builder.Build();
app.UseAuthentication();
app.UseAuthorization();
app.MapGet("/", async (HttpContext context) =>
{
    using var api = new HttpClient();
    api.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", await context.GetTokenAsync("access_token"));
    var profile = await api.GetFromJsonAsync<Profile>("http://127.0.0.1:4400/api/v1/users/current");
    return new { user = context.User.FindFirst("sub")?.Value, verified = profile?.Verified == true };
}).RequireAuthorization(); // starts a sign-in
app.Run("http://127.0.0.1:3000");

record Profile(bool? Verified);

class ClientSecretBasic(string id, string secret) : HttpClientHandler
{
    protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellation)
    {
        var credentials = $"{Uri.EscapeDataString(id)}:{Uri.EscapeDataString(secret)}";
        if (request.Method == HttpMethod.Post)
            request.Headers.Authorization = new AuthenticationHeaderValue("Basic", Convert.ToBase64String(Encoding.UTF8.GetBytes(credentials)));
        return base.SendAsync(request, cancellation);
    }
}
