import Koa from 'koa';
import { clinicianLogin } from 'passport-clinician';
import { listen, sessions, settings } from './settings.mjs';

/** Runs middleware of Express in Koa. If it responds, the rest does not run. */
const use = (middleware) => (ctx, next) =>
  new Promise((resolve, reject) => {
    ctx.res.once('close', resolve);
    ctx.status = 200; // Koa starts with 404
    middleware(ctx.req, ctx.res, (error) => (error ? reject(error) : resolve(next())));
  });

const clinician = clinicianLogin(settings);
const requireVerified = use(clinician.requireVerified());
const app = new Koa();
app.use(use(sessions)).use(use(clinician));
app.use((ctx, next) => (ctx.path === '/notes' ? requireVerified(ctx, next) : next())); // or before a route of your router
app.use((ctx) => {
  const { user } = ctx.req;
  if (ctx.path === '/notes') ctx.body = `Notes of ${user.id}`;
  else ctx.body = user ? 'Signed in' : clinician.signInButton();
});
listen(app);
