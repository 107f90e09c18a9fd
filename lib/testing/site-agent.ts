/** The part of a site's response that is read. supertest's `Response` has it, and {@link signIn} returns that. */
export interface SiteResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text?: string;
}

/** A request that is sent when it is awaited: supertest's `Test` is one. */
export interface SiteRequest<R extends SiteResponse> extends PromiseLike<R> {
  redirects(limit: number): SiteRequest<R>;
  ok(accept: () => boolean): SiteRequest<R>;
  set(header: string, value: string): SiteRequest<R>;
  type(mediaType: string): SiteRequest<R>;
  send(body: string): SiteRequest<R>;
  /** The absolute URL, after the response. */
  readonly url: string;
}

/** A client of the site under test with its own cookies: supertest's `request.agent(app)` is one. */
export interface SiteAgent<R extends SiteResponse = SiteResponse> {
  get(path: string): SiteRequest<R>;
  post(path: string): SiteRequest<R>;
}
