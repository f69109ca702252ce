import type { UserType } from './user-types.js';

/** The frames around pages: files of `client/src/app/shells/`. `bar`: has a header. */
export const shells = {
  'card-shell': { density: 'user', bar: false },
  'flow-shell': { density: 'user', bar: true },
  'user-shell': { density: 'user', bar: true },
  'admin-shell': { density: 'admin', bar: true },
} as const;

export type Shell = keyof typeof shells;

export interface LoadedPage {
  /** File below `client/src/features/`. It exports one component, which the build puts into a chunk of its own. */
  file: string;
  /** Null: the page has no frame. */
  shell: Shell | null;
  /** The users of the area that the page is for; all of them when omitted. */
  users?: readonly UserType[];
  /** The step of an authorization that this page is for. */
  step?: string;
  /** True: a step of an authorization leads here, which waits meanwhile; the page leads back to it. */
  aside?: true;
  /**
   * Calls of a signed-in user's page beyond settings and session, which its document preloads. `?returnUrl` stands for
   * that of the page. Written as the page makes them: the browser makes a call that differs in one letter twice.
   */
  calls?: readonly string[];
}

export type ErrorKind = 'badRequest' | 'notFound' | 'throttled' | 'server';

/** Part of the first scripts: the reason for an error may be that nothing can be loaded. */
interface ErrorPage {
  error: ErrorKind;
}

const stepCalls = (call: string) => [`/api/${call}?returnUrl`, '/api/authorization?returnUrl'];

/**
 * All pages of the client by their paths. Routes, links, preloads and the steps of an authorization derive from this
 * table. The pages with a step are in the order of the flow.
 */
export const pages = {
  '/welcome': { file: 'welcome/welcome-page', shell: null },
  '/login': { file: 'login/login-page', shell: 'card-shell' },
  '/register': { file: 'register/register-page', shell: 'card-shell' },
  '/account/activate': { file: 'passwords/activate-page', shell: 'card-shell' },
  '/account/error': { file: 'login/account-error-page', shell: 'card-shell' },
  '/account/keep': { file: 'passwords/keep-account-page', shell: 'card-shell' },
  '/account/recovery': { file: 'passwords/recovery-page', shell: 'card-shell' },
  '/password/forgot': { file: 'passwords/forgot-password-page', shell: 'card-shell' },
  '/password/reset': { file: 'passwords/reset-password-page', shell: 'card-shell' },
  '/ask': { file: 'asker/ask-page', shell: 'card-shell' },
  '/invitation': { file: 'family/invitation-page', shell: 'card-shell' },

  '/user/two-factor-required': {
    file: 'two-factor/two-factor-required-page',
    shell: 'card-shell',
    step: 'two-factor',
  },
  '/user/family-news': {
    file: 'family/family-news-page',
    shell: 'flow-shell',
    users: ['Patient'],
    step: 'family-news',
  },
  '/user/paused-app': {
    file: 'grants/paused-app-page',
    shell: 'flow-shell',
    step: 'paused',
    calls: ['/api/authorization?returnUrl'],
  },
  '/user/disclaimer': {
    file: 'disclaimers/disclaimers-page',
    shell: 'flow-shell',
    step: 'disclaimers',
    calls: stepCalls('disclaimer'),
  },
  '/user/launch-context': {
    file: 'launch-context/launch-context-page',
    shell: 'flow-shell',
    step: 'launch-context',
    calls: stepCalls('launch-context'),
  },
  '/user/consent': {
    file: 'consent/consent-page',
    shell: 'flow-shell',
    step: 'consent',
    calls: stepCalls('consent'),
  },

  '/user/grants': { file: 'grants/grants-page', shell: 'user-shell', calls: ['/api/grant'] },
  '/user/access-log': { file: 'access-log/access-log-page', shell: 'user-shell', users: ['Patient', 'RelatedPerson'] },
  '/user/family': { file: 'family/family-page', shell: 'user-shell', users: ['Patient', 'RelatedPerson'] },
  '/user/family/birthdays/:id': {
    file: 'family/birthday-page',
    shell: 'user-shell',
    users: ['Patient', 'RelatedPerson'],
  },
  '/user/family/ended/:id': { file: 'family/ended-page', shell: 'user-shell', users: ['Patient', 'RelatedPerson'] },
  '/user/family/invite': { file: 'family/invite-page', shell: 'user-shell', users: ['Patient'] },
  '/user/family/request': {
    file: 'family/request-page',
    shell: 'user-shell',
    users: ['Patient', 'RelatedPerson'],
    aside: true,
  },
  '/user/family/requests/:id': {
    file: 'family/request-status-page',
    shell: 'user-shell',
    users: ['Patient', 'RelatedPerson'],
    aside: true,
  },
  '/user/receipts/:id': { file: 'grants/receipt-page', shell: 'user-shell' },
  '/user/account-settings': { file: 'account-settings/account-settings-page', shell: 'user-shell' },

  '/admin/stronger-sign-in': { file: 'two-factor/stronger-sign-in-page', shell: 'card-shell' },
  '/admin/dashboard': { file: 'dashboard/dashboard-page', shell: 'admin-shell' },
  '/admin/connect-fhir-server': { file: 'fhir-guide/connect-fhir-server-page', shell: 'admin-shell' },
  '/admin/readiness': { file: 'readiness/readiness-page', shell: 'admin-shell' },
  '/admin/age-rules': { file: 'age-rules/age-rules-page', shell: 'admin-shell' },
  '/admin/user-management': { file: 'users/users-page', shell: 'admin-shell' },
  '/admin/client-management': { file: 'clients/clients-page', shell: 'admin-shell' },
  '/admin/try-launch': { file: 'launch-trial/try-launch-page', shell: 'admin-shell' },
  '/admin/requests': { file: 'requests/requests-page', shell: 'admin-shell' },
  '/admin/activity': { file: 'activity/activity-page', shell: 'admin-shell' },
  '/admin/activity/:reference': { file: 'activity/launch-page', shell: 'admin-shell' },
  '/admin/audit': { file: 'audit/audit-page', shell: 'admin-shell' },
  '/admin/openid-configuration': { file: 'discovery/openid-configuration-page', shell: 'admin-shell' },
  '/admin/smart-configuration': { file: 'discovery/smart-configuration-page', shell: 'admin-shell' },
  '/admin/api': { file: 'api-reference/api-page', shell: 'admin-shell' },
  '/admin/account-settings': { file: 'account-settings/account-settings-page', shell: 'admin-shell' },

  '/error/400': { error: 'badRequest' },
  '/error/404': { error: 'notFound' },
  '/error/429': { error: 'throttled' },
  '/error/500': { error: 'server' },
} as const satisfies Record<string, LoadedPage | ErrorPage>;

type Pages = typeof pages;
export type Path = keyof Pages;
type StepPath = { [P in Path]: Pages[P] extends { step: string } ? P : never }[Path];

/** The page at a path of an address: the one of this path, or the one whose last part is a parameter. */
export function pageAt(path: string): Path | undefined {
  if (Object.hasOwn(pages, path)) return path as Path;
  const [, folder, last] = /^(.*\/)([^/]+)$/.exec(path) ?? [];
  return last === undefined
    ? undefined
    : (Object.keys(pages) as Path[]).find((known) => known.startsWith(`${folder}:`));
}

export function isPage(path: string): boolean {
  return pageAt(path) !== undefined;
}

export const loadedPages = Object.entries<LoadedPage | ErrorPage>(pages).flatMap(([path, page]) =>
  'file' in page ? [{ path: path as Path, ...page }] : [],
);

export const errorPages = Object.entries<LoadedPage | ErrorPage>(pages).flatMap(([path, page]) =>
  'error' in page ? [{ path: path as Path, ...page }] : [],
);

/** The page of each step that has one, in the order of the flow. */
export const stepPages = Object.fromEntries(
  loadedPages.flatMap(({ path, step }) => (step === undefined ? [] : [[step, path]])),
) as { [P in StepPath as Pages[P]['step']]: P };

const loadedPageAt = (path: string): LoadedPage | undefined => loadedPages.find((page) => page.path === pageAt(path));

/** True unless the page at this path is for other users. */
export function isPageFor(userType: UserType, path: string): boolean {
  const users = loadedPageAt(path)?.users;
  return users === undefined || users.includes(userType);
}

/** True if an authorization waits while its user is on the page at this path. */
export const isAside = (path: string): boolean => loadedPageAt(path)?.aside === true;

/** Pages between sign-in and the response to the client. They carry the return URL. */
export const stepPaths: readonly string[] = Object.values(stepPages);
