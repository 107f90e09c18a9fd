import type { Statement, Statements } from './statement.js';

type Shown = Omit<Statement, 'statement'>;

const FIELD: Shown = {
  rules: ['profile-member-names', 'profile-members-complete'],
  mock: 'mock-provider/resources/resources: the profile has the fields of the list, with their types and the names of the sample',
  client: 'resource-api/profile: a profile is parsed in full, with the members as sent in raw',
  site: 'example-app/site: by $signInBy, in the $flow flow /profile shows every member from the service, and "none" for null',
};

const field = (statement: string): Statement => ({ statement, ...FIELD });

/** Lists the statements about the profile. */
export const PROFILE_STATEMENTS: Statements = {
  'profile-id': {
    ...field('id is an integer, unique in the service.'),
    rules: ['profile-member-names', 'user-ids-above-32-bits'],
    client: 'integration/sign-in: a clinician signs in in both flows: with the same integer id of the service',
  },
  'profile-npi': field('npi is an integer, the National Provider Identifier.'),
  'profile-names-of-the-sample': field('The names are firstname, middlename and lastname in the sample payload.'),
  'profile-names-of-the-list': {
    statement: 'The names are first_name, middle_name and last_name in the field list.',
    rules: ['profile-member-names'],
    mock: 'mock-provider/resources/resources: the profile has the names of the option spelling: list',
    client: 'resource-api/profile: a profile is parsed in both spellings; first_name takes precedence over firstname',
  },
  'profile-maiden-name': {
    statement: 'maiden_name is text or null, and is present only if one exists.',
    rules: ['profile-member-names'],
    mock: 'mock-provider/resources/resources: the profile of a user without values has members that are null or empty, and lacks those that can be neither',
    client: 'resource-api/profile: a profile with only an id has no other members',
  },
  'profile-full-name': field('full_name is the display name, with the credentials as suffix.'),
  'profile-gender': field('gender is M or F.'),
  'profile-state': field('state is the two letters of the office.'),
  'profile-location': field('lat and lon are signed numbers, the location of the office.'),
  'profile-city': field('city is the city of the office.'),
  'profile-zip': field('zip is the zip code of the office.'),
  'profile-office-address': {
    ...field('address_1 and address_2 are text or null.'),
    mock: 'mock-provider/resources/resources: the profile of a user without values has members that are null or empty, and lacks those that can be neither',
  },
  'profile-phone': {
    ...field('phone and fax are text or null.'),
    mock: 'mock-provider/resources/resources: the profile of a user without values has members that are null or empty, and lacks those that can be neither',
  },
  'profile-additional-locations': field('additional_locations is an array of other addresses.'),
  'profile-location-members': {
    ...field('A location has address_1, address_2, city, state, phone, fax and zip; address_2 and fax may be null.'),
    mock: 'mock-provider/resources/resources: the profile has the names of the list in nested members',
  },
  'profile-credentials': field('credentials are the professional credentials, such as MD.'),
  'profile-specialty': field('specialty is the name of the specialty.'),
  'profile-specialty-details': field(
    'specialty_details has abbr, code, credential_id (an integer), name and id (text).',
  ),
  'profile-hospitals': field('hospitals is an array; each has name and aha_id, both text.'),
  'profile-subspecialties': field('subspecialties is an array of text.'),
  'profile-medical-school': field('medical_school is text.'),
  'profile-residencies': field('residencies is an array of institutions.'),
  'profile-photo': {
    ...field('profile_photo is a URL.'),
    client: 'resource-api/profile: a profile has no photo with the URL javascript:alert(1)',
  },
  'profile-colleague-count': {
    ...field('colleague_count is an integer, the number of colleagues.'),
    mock: 'mock-provider/resources/resources: the colleague list has 30 entries on the first page',
  },
  'profile-description': field('description is in the sample payload.'),
  'profile-verified': {
    statement: 'verified is a boolean, true when the user passed the verification.',
    rules: ['new-account-verified'],
    mock: 'mock-provider/resources/resources: the profile changes verified with the clock',
    client: 'resource-api/profile: a profile with verified: "true" is not verified',
    site: 'browser/reference-site: with the default settings a pending clinician gets a page about the verification, and the notes after it',
  },
  'profile-verification-queue': {
    statement: 'Most users are verified at once; others wait in a queue for up to three days.',
    rules: ['new-account-verified'],
    mock: 'mock-provider/interactions/verification: the verification page shows the position in the queue; the user continues unverified and is verified after three days',
    client:
      'spec/client: a site that signs in by: %s allows a pending clinician after the verification, in the %s flow',
  },
  'profile-email': {
    statement: 'The scope email, together with basic, adds the email address.',
    rules: ['profile-member-names', 'email-needs-basic'],
    mock: 'mock-provider/resources/resources: the profile has email only with the scope email',
    client: 'integration/sign-in: a clinician signs in and the profile is read in camelCase',
  },
  'profile-email-approved': {
    statement: 'The user approves the scope email explicitly.',
    rules: ['email-approved-separately'],
    mock: 'mock-provider/endpoints/authorize: consent lists email separately and not ticked beforehand, and a form without it grants no email',
    client:
      'spec/client: a site that signs in by: %s has no email address that the user did not approve, in the %s flow',
  },
};

const page = (statement: string): Statement => ({
  statement,
  rules: ['colleague-page-members'],
  mock: 'mock-provider/resources/resources: the colleague list has 30 entries on the first page',
  client: 'resource-api/colleagues: a page of colleagues is parsed with the counts of the service',
});

/** Lists the statements about the colleague list. */
export const COLLEAGUE_STATEMENTS: Statements = {
  'colleague-page-total-entries': page('total_entries is an integer, the number of colleagues.'),
  'colleague-page-current': page('current_page is an integer.'),
  'colleague-page-total-pages': page('total_pages is an integer.'),
  'colleague-page-size': page('per_page is an integer.'),
  'colleague-page-items': page('items is an array of colleagues.'),
  'colleague-id': page('A colleague has id, an integer.'),
  'colleague-npi': page('A colleague has npi, an integer.'),
  'colleague-names': {
    statement: 'A colleague has a first, middle and last name, in either spelling.',
    rules: ['colleague-page-members', 'profile-member-names'],
    mock: 'mock-provider/resources/resources: the profile has the names of the option spelling: both',
    client:
      'resource-api/colleagues: a page of colleagues is parsed in both spellings; first_name takes precedence over firstname',
  },
  'colleague-credentials': page('A colleague has credentials, specialty and zip.'),
  'colleague-photo': page('A colleague has profile_photo, a URL.'),
};

const status = (statement: string): Statement => ({
  statement,
  rules: ['rate-limit-status-members'],
  mock: 'mock-provider/resources/resources: the rate limit does not count failed authentications and the status, which works above the limit',
  client: 'resource-api/rate-limit: rateLimit() returns the requests left, and the end of the window in milliseconds',
});

/** Lists the statements about the rate-limit status. */
export const RATE_LIMIT_STATUS_STATEMENTS: Statements = {
  'rate-limit-status-limit': status('limit is an integer.'),
  'rate-limit-status-remaining': status('remaining is an integer.'),
  'rate-limit-status-reset': status('reset is an integer, in UTC epoch seconds.'),
};

const SHARE: Shown = {
  rules: ['new-message-fields-limited'],
  mock: 'mock-provider/resources/inbox: a new message requires a sign-in, then has the shared values',
  client: 'html/buttons: the share button without the script is a link with query parameters and no data- attributes',
};

/** Lists the statements about the parameters of the share button. */
export const SHARE_PARAMETER_STATEMENTS: Statements = {
  'share-parameters-optional': {
    ...SHARE,
    statement: 'url, message and subject are optional.',
    client: 'html/buttons: the share button opens an empty message without url, message and subject',
  },
  'share-parameters-attributes': {
    ...SHARE,
    statement: 'On the element they are data-url, data-message and data-subject.',
    rules: ['share-script'],
    mock: 'browser/mock-provider-share-button: a click opens a new message with the shared values, which arrives in the inbox when sent',
    client:
      'html/buttons: the share button with the script has data- attributes, and a plain link for browsers that run no scripts',
  },
  'share-parameters-query': {
    ...SHARE,
    statement: 'On a direct link they are query parameters.',
  },
  'share-parameters-escaped': {
    ...SHARE,
    statement: 'On a direct link they are escaped.',
    mock: 'mock-provider/resources/inbox: a new message has escaped and shortened values',
    client: 'html/buttons: the share button escapes a hostile message',
  },
};
