import { clinicianLogin } from 'passport-clinician';

export const clinician = clinicianLogin.fromEnv({
  onSignIn({ identity, previousSession, carryOver }) {
    const { cart } = previousSession;
    if (Array.isArray(cart)) carryOver({ cart: cart.slice(0, 100) });
    return { id: identity.id };
  },
});
