/** Bodies for which the operations of the control API succeed, by method and path. */
export const EXAMPLES: Readonly<Record<string, object>> = {
  'POST /clinicians': { username: 'alice', verified: true },
  'PATCH /clinicians': { username: 'pending', verified: true },
  'POST /grants/expire': { username: 'verified', tokens: 'access' },
  'POST /clients': { flow: 'openid', redirectURIs: ['http://127.0.0.1:5001/callback'] },
  'POST /clock': { advance: '3 days' },
  'POST /faults': { name: 'badSignature' },
};
