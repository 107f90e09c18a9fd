import 'reflect-metadata';
import { type ArgumentsHost, Catch, Controller, Get, type MiddlewareConsumer, Module, Req } from '@nestjs/common';
import { BaseExceptionFilter, NestFactory } from '@nestjs/core';
import type { Request } from 'express';
import session from 'express-session';
import { clinicianLogin } from 'passport-clinician';

const clinician = clinicianLogin.fromEnv();
const sessions = session({ secret: String(process.env.SESSION_SECRET), resave: false, saveUninitialized: false });
const respondToError = clinician.errorHandler();

@Controller()
class Pages {
  @Get()
  home(@Req() req: Request): string {
    return req.clinician.isAuthenticated ? 'Signed in' : clinician.signInButton();
  }

  @Get('notes')
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
class Site {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(sessions, clinician).forRoutes('{*path}'); // NestJS 10: '*'
    consumer.apply(clinician.requireVerified()).forRoutes('notes');
  }
}

/** Responds to errors of this package as its routes do. The filter of NestJS responds to others. */
@Catch()
class ErrorFilter extends BaseExceptionFilter {
  override catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    respondToError(error, http.getRequest(), http.getResponse(), () => super.catch(error, host));
  }
}

async function start(): Promise<void> {
  const app = await NestFactory.create(Site, { logger: ['error', 'warn'] });
  app.useGlobalFilters(new ErrorFilter(app.getHttpAdapter()));
  await app.listen(3000, '127.0.0.1');
  console.log('http://127.0.0.1:3000');
}

void start();
