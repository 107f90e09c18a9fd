import type { Check } from './check.js';

/** Decision 27: parameters that choose what a person sees, and never fail. */
export const readPresentation: Check = ({ parameters }) => {
  const loginHint = parameters.get('login_hint');
  return {
    display: parameters.get('display') === 'popup' ? 'popup' : 'page',
    landing: parameters.get('type') === 'verify' ? 'verify' : 'login',
    ...(loginHint !== undefined && { loginHint }),
  };
};
