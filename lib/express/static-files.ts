import type { Request, Response } from 'express';
import clientScript from '../html/browser/client.js?text';
import styles from '../html/browser/styles.css?text';

const STYLES = Buffer.from(styles);
const SCRIPT = Buffer.from(clientScript);

/** Answers with the style sheet of the button and the pages. */
export function sendStyles(_req: Request, res: Response): void {
  res.setHeader('Content-Type', 'text/css; charset=utf-8');
  res.setHeader('Cache-Control', 'public, max-age=3600');
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.end(STYLES);
}

/** Answers with the client script. */
export function sendScript(_req: Request, res: Response): void {
  res.setHeader('Content-Type', 'text/javascript; charset=utf-8');
  res.setHeader('Cache-Control', 'public, max-age=3600');
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.end(SCRIPT);
}
