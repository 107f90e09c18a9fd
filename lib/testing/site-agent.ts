/** What is read of a site's answer. supertest's `Response` is one, and is what {@link signIn} hands back. */
export interface SiteResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text?: string;
}

/** A request that is on its way once it is awaited: supertest's `Test` is one. */
export interface SiteRequest<R extends SiteResponse> extends PromiseLike<R> {
  redirects(limit: number): SiteRequest<R>;
  ok(accept: () => boolean): SiteRequest<R>;
  set(header: string, value: string): SiteRequest<R>;
  type(mediaType: string): SiteRequest<R>;
  send(body: string): SiteRequest<R>;
  /** Its absolute address, once it has been answered. */
  readonly url: string;
}

/** Somebody's browser at the site under test, with its cookies: `request.agent(app)` of supertest is one. */
export interface SiteAgent<R extends SiteResponse = SiteResponse> {
  get(path: string): SiteRequest<R>;
  post(path: string): SiteRequest<R>;
}
