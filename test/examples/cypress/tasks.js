const control = `http://127.0.0.1:${process.env.PROVIDER_PORT ?? '4400'}/_mock`;

export const tasks = {
  /** Calls the control API: `cy.task('mock', { path: 'clock', body: { advance: '3 days' } })`. */
  async mock({ path, body = {} }) {
    const response = await fetch(`${control}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const result = await response.json();
    if (!response.ok) throw new Error(result.message);
    return result;
  },
};
