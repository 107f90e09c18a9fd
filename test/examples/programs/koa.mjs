import Koa from 'koa';
import { clinicianLogin } from 'passport-clinician';
import { listen, sessions, settings } from './settings.mjs';

/** Runs middleware of Express in Koa. If it responds, the rest does not run. */
const use = (middleware) => (ctx, next) =>
  new Promise((resolve, reject) => {
    const { req, res } = ctx;
    const { statusCode } = res; // 404: Koa sets it first
    res.once('close', resolve);
    res.statusCode = 200;
    middleware(req, res, (error) => {
      res.statusCode = statusCode;
      if (error) reject(error);
      else resolve(next());
    });
  });

const clinician = clinicianLogin(settings);
const requireVerified = use(clinician.requireVerified());
const app = new Koa();
app.use(use(sessions)).use(use(clinician));
app.use((ctx, next) => (ctx.path === '/notes' ? requireVerified(ctx, next) : next()));
app.use((ctx) => {
  const user = clinician.user(ctx.req);
  if (ctx.path === '/notes') ctx.body = `Notes of ${user.id}`;
  if (ctx.path === '/') ctx.body = user ? 'Signed in' : clinician.signInButton();
});
listen(app);
