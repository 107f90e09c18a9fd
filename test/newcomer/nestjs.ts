import 'reflect-metadata';
import { type ArgumentsHost, type CanActivate, Catch, Controller, Get, Module, Req, UseGuards } from '@nestjs/common';
import { BaseExceptionFilter, NestFactory } from '@nestjs/core';
import type { Request, RequestHandler } from 'express';
import session from 'express-session';
import { clinicianLogin } from 'passport-clinician';

const clinician = clinicianLogin.fromEnv();
const sessions = session({ secret: String(process.env.SESSION_SECRET), resave: false, saveUninitialized: false });
const respondToError = clinician.errorHandler();

/** Makes a guard of NestJS. If `guard` responds, the route does not run. */
const guardOf = (guard: RequestHandler): CanActivate => ({
  canActivate: (context) => {
    const http = context.switchToHttp();
    return new Promise((resolve, reject) => {
      guard(http.getRequest(), http.getResponse(), (error) => (error ? reject(error) : resolve(true)));
    });
  },
});

@Controller()
class Pages {
  @Get()
  home(@Req() req: Request): string {
    return req.clinician.isAuthenticated ? 'Signed in' : clinician.signInButton();
  }

  @Get('notes')
  @UseGuards(guardOf(clinician.requireVerified()))
  notes(): string {
    return 'For verified clinicians only';
  }

  @Get('profile')
  async profile(@Req() req: Request): Promise<string> {
    const { firstName } = await clinician.api(req).profile();
    return `Hello ${firstName}`;
  }
}

@Module({ controllers: [Pages] })
class Site {}

/** Responds to errors of this package as its routes do. */
@Catch()
class ErrorFilter extends BaseExceptionFilter {
  override catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    respondToError(error, http.getRequest(), http.getResponse(), () => super.catch(error, host));
  }
}

async function start(): Promise<void> {
  const app = await NestFactory.create(Site, { logger: ['error', 'warn'] });
  app.use(sessions, clinician);
  app.useGlobalFilters(new ErrorFilter(app.getHttpAdapter()));
  await app.listen(3000, '127.0.0.1');
  console.log('http://127.0.0.1:3000');
}

void start();
