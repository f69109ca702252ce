/** The subjects of the operations, in the order in which they are read, each with a beginning of its paths. */
const areas = [
  ['/api/admin/client', 'Clients', 'Apps and services that are registered here.'],
  ['/api/admin/client/bulk', 'Many clients', 'Changes of many clients by one call, and their list as a file.'],
  ['/api/admin/bulk', 'Changes of many', 'Changes of many clients or users that continue by themselves.'],
  ['/api/admin/client/export', 'Many clients'],
  ['/api/admin/client/rotations', 'Secret rotation', 'Replaces a shared secret while both work.'],
  ['/api/admin/client/{id}/rotation', 'Secret rotation'],
  ['/api/admin/client/{id}/trial', 'Trials', 'A launch with the settings of a client, without the app.'],
  ['/api/admin/launch-trial', 'Trials'],
  ['/api/admin/configuration/tag', 'Tags', 'Names in color by which clients are found.'],
  ['/api/admin/user', 'Users', 'Accounts of patients and practitioners, and help for those who cannot sign in.'],
  ['/api/admin/step-up', 'Users'],
  ['/api/admin/user/bulk', 'Many users', 'Changes of many users by one call, and their list as a file.'],
  ['/api/admin/user/export', 'Many users'],
  ['/api/admin/representation', 'Representation', 'Accounts that act for patients.'],
  ['/api/admin/requests', 'Requests', 'What users ask of the hospital, and the answers.'],
  ['/api/admin/activity', 'Launches', 'What happened in the launches of apps.'],
  ['/api/admin/audit', 'Audit', 'The sealed record of who did what.'],
  ['/api/admin/', 'Portal administration', 'State and readiness of this portal.'],
  ['/api/admin/adminmanagement', 'First administrator', 'Before it exists, no user can sign in.'],
  ['/api/session', 'Sign-in', 'Signing in with a password, and the present session.'],
  ['/api/passkeys', 'Passkeys', 'Signing in without a password, and the passkeys of the user.'],
  ['/api/twofactor', 'Two-factor authentication', 'Set-up and use of an authenticator app.'],
  ['/api/authorization', "An app's request", 'The steps between the request of an app and the answer to it.'],
  ['/api/consent', "An app's request"],
  ['/api/disclaimer', "An app's request"],
  ['/api/launch-context', "An app's request"],
  ['/api/representation', 'Family and carers', 'Who acts for the user, and for whom the user acts.'],
  ['/api/invitations', 'Family and carers'],
  ['/api/requests', 'Family and carers'],
  ['/api/user', 'Own account', 'Name, password and sessions of the user, and links by mail.'],
  ['/api/grant', 'Own apps', 'The access that the user gives to apps.'],
  ['/api/receipt', 'Own apps'],
  ['/api/representation', 'Family and carers', 'For whom the user acts, and who acts for the user.'],
  ['/api/user/access-log', 'Own record of accesses', 'Who has seen the record of the signed-in patient.'],
  [
    '/api/user/data',
    'Own data',
    'The file of everything that is kept about the user, and the deletion of the account.',
  ],
  ['/api/user/deletion', 'Own data'],
  ['/api/user/{userId}/deletion', 'Own data'],
  ['/api/openapi.json', 'Portal', 'Facts that pages need before a user has signed in, and this description.'],
  ['/api/settings', 'Portal'],
  ['/api/language', 'Portal'],
];

/** By the longest beginning that fits; undefined for a path that belongs to none. */
export function areaOf(path) {
  const fitting = areas.filter(([start]) => path.startsWith(start));
  return fitting.sort(([one], [other]) => other.length - one.length)[0]?.[1];
}

export const tags = areas
  .filter(([, , description]) => description)
  .map(([, name, description]) => ({ name, description }));
