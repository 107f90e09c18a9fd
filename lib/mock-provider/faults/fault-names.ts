/** What can be wrong with the signature of an ID Token, or with the keys behind it. */
export type SignatureFaultName =
  | 'badSignature'
  | 'algNone'
  | 'symmetricKeyConfusion'
  | 'wrongAlgorithm'
  | 'unknownKid'
  | 'missingKid'
  | 'missingKidSeveralKeys'
  | 'embeddedKey'
  | 'criticalHeader'
  | 'malformedIDToken'
  | 'keysRotatedBeforeSigning'
  | 'keysRotatedAfterSigning';

/** What can be wrong in the claims of an ID Token. */
export type ClaimFaultName =
  | 'wrongIssuer'
  | 'wrongAudience'
  | 'extraAudience'
  | 'wrongAzp'
  | 'wrongNonce'
  | 'wrongAtHash'
  | 'wrongCHash'
  | 'wrongSubject'
  | 'expired'
  | 'issuedInFuture'
  | 'staleAuthTime'
  | 'missingIss'
  | 'missingSub'
  | 'missingAud'
  | 'missingAzp'
  | 'missingExp'
  | 'missingIat'
  | 'missingNonce'
  | 'missingAuthTime'
  | 'missingAtHash'
  | 'missingCHash'
  | 'refreshWrongSubject'
  | 'refreshWrongIssuer'
  | 'serverClockOff';

/** What can be wrong in a token response. */
export type TokenResponseFaultName =
  | 'missingAccessToken'
  | 'missingTokenType'
  | 'wrongTokenType'
  | 'missingIDToken'
  | 'missingRefreshToken'
  | 'unsafeAccessToken'
  | 'missingExpiresIn'
  | 'wrongExpiresIn'
  | 'wrongScope';

/** What can be wrong with the redirect back to the client. */
export type RedirectFaultName =
  | 'missingState'
  | 'wrongState'
  | 'missingCode'
  | 'wrongCode'
  | 'missingIssParameter'
  | 'wrongIssParameter'
  | 'missingSessionState'
  | 'sessionChanged'
  | 'authorizationError'
  | 'repeatedParameters'
  | 'duplicateCallback';

/** What can be wrong on the way back from a logout. */
export type LogoutFaultName = 'logoutMissingState' | 'logoutWrongState';

/** What can be wrong in the metadata and the keys. */
export type DocumentFaultName =
  | 'discoveryWrongIssuer'
  | 'discoveryMissingIssuer'
  | 'discoveryMissingJWKSURI'
  | 'wrongKeys'
  | 'emptyKeys'
  | 'keysWithoutKid'
  | 'unsupportedKeys';

/** What can be wrong in what is told of a person. */
export type ProfileFaultName =
  | 'userinfoWrongSubject'
  | 'userinfoMissingSubject'
  | 'profileWrongID'
  | 'profileMissingID'
  | 'profileMalformed';

/** What can be answered in place of what an endpoint does. */
export type FailureFaultName =
  | 'reset'
  | 'noResponse'
  | 'serverError'
  | 'unavailable'
  | 'errorWithSuccess'
  | 'redirectInsteadOfAnswer'
  | 'rateLimited'
  | 'keysDown'
  | 'revocationFails'
  | 'codeRefused'
  | 'refreshRefused'
  | 'accessTokenRefused';

/** What can become of an answer on its way. */
export type ResponseFaultName =
  | 'delay'
  | 'slowKeys'
  | 'responseLost'
  | 'refreshLost'
  | 'malformedJSON'
  | 'truncatedJSON'
  | 'truncatedAnswer'
  | 'stalledAnswer'
  | 'nullAnswer'
  | 'repeatedMembers'
  | 'pollutedJSON'
  | 'htmlInsteadOfJSON'
  | 'wrongContentType'
  | 'oversizedBody'
  | 'emptyBody';

/** What a provider can be told to do wrong. */
export type FaultName =
  | SignatureFaultName
  | ClaimFaultName
  | TokenResponseFaultName
  | RedirectFaultName
  | LogoutFaultName
  | DocumentFaultName
  | ProfileFaultName
  | FailureFaultName
  | ResponseFaultName;

/** The modules of the OpenID Foundation's relying-party test plans that are a fault, less what all their names begin with. */
type ModuleFault =
  | 'invalid-iss'
  | 'invalid-aud'
  | 'missing-aud'
  | 'missing-iat'
  | 'missing-sub'
  | 'nonce-invalid'
  | 'invalid-sig-rs256'
  | 'invalid-sig-hs256'
  | 'invalid-sig-es256'
  | 'idtoken-sig-none'
  | 'invalid-athash'
  | 'missing-athash'
  | 'invalid-chash'
  | 'missing-chash'
  | 'kid-absent-single-jwks'
  | 'kid-absent-multiple-jwks'
  | 'signing-key-rotation'
  | 'signing-key-rotation-just-before-signing'
  | 'userinfo-invalid-sub'
  | 'refresh-token-invalid-sub'
  | 'refresh-token-invalid-issuer'
  | 'discovery-issuer-mismatch'
  | 'rp-init-logout-no-state'
  | 'rp-init-logout-other-state'
  | 'session-management';

/** The names that the same modules had in the suite before. */
type OldModuleFault =
  | 'rp-id_token-issuer-mismatch'
  | 'rp-id_token-aud'
  | 'rp-id_token-iat'
  | 'rp-id_token-sub'
  | 'rp-nonce-invalid'
  | 'rp-id_token-bad-sig-rs256'
  | 'rp-id_token-bad-sig-hs256'
  | 'rp-id_token-bad-sig-es256'
  | 'rp-id_token-sig-none'
  | 'rp-id_token-bad-at_hash'
  | 'rp-id_token-missing-at_hash'
  | 'rp-id_token-bad-c_hash'
  | 'rp-id_token-missing-c_hash'
  | 'rp-id_token-kid-absent-single-jwks'
  | 'rp-id_token-kid-absent-multiple-jwks'
  | 'rp-key-rotation-op-sign-key'
  | 'rp-key-rotation-op-sign-key-native'
  | 'rp-userinfo-bad-sub-claim'
  | 'rp-discovery-issuer-not-matching-config'
  | 'rp-init-logout-no-state'
  | 'rp-init-logout-other-state'
  | 'rp-init-logout-session';

/** Names in the same manner, for what no module of the suite tests and for what people call it. */
type ShortName =
  | 'invalid-azp'
  | 'invalid-nonce'
  | 'invalid-sig'
  | 'alg-none'
  | 'missing-iss'
  | 'missing-nonce'
  | 'missing-azp'
  | 'missing-exp'
  | 'expired-id-token';

/** Other names of faults: the OpenID Foundation's, today's in full and shortened, and those of the suite before. */
export type FaultAlias = `oidcc-client-test-${ModuleFault}` | ModuleFault | OldModuleFault | ShortName;
