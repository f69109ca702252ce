import type { Page } from '../shared/pages.js';
import type { Density } from './theme.js';

/** The error pages are there from the start: what they report may be that nothing can be loaded any more. */
export type LoadedPage = Exclude<Page, `/error/${string}`>;

/**
 * The file of each page below `features/`, which exports its one component. Also read by the build, which tells the server
 * what each page needs.
 */
export const pageFiles: Record<LoadedPage, string> = {
  '/welcome': 'welcome/welcome-page',
  '/login': 'login/login-page',
  '/register': 'register/register-page',
  '/account/activate': 'passwords/activate-page',
  '/account/error': 'login/account-error-page',
  '/password/forgot': 'passwords/forgot-password-page',
  '/password/reset': 'passwords/reset-password-page',
  '/admin/dashboard': 'dashboard/dashboard-page',
  '/admin/user-management': 'users/users-page',
  '/admin/account-settings': 'account-settings/account-settings-page',
  '/admin/client-management': 'clients/clients-page',
  '/admin/openid-configuration': 'discovery/openid-configuration-page',
  '/admin/smart-configuration': 'discovery/smart-configuration-page',
  '/user/account-settings': 'account-settings/account-settings-page',
  '/user/grants': 'grants/grants-page',
  '/user/disclaimer': 'disclaimers/disclaimers-page',
  '/user/consent': 'consent/consent-page',
  '/user/launch-context': 'launch-context/launch-context-page',
  '/user/two-factor-required': 'two-factor/two-factor-required-page',
};

export interface Frame {
  /** A file of `app/shells/`. */
  shell: string | null;
  density: Density;
  pages: LoadedPage[];
}

/** The frames, with their pages and their density. */
export const frames: Frame[] = [
  { shell: null, density: 'user', pages: ['/welcome'] },
  {
    shell: 'card-shell',
    density: 'user',
    pages: [
      '/login',
      '/register',
      '/account/activate',
      '/account/error',
      '/password/forgot',
      '/password/reset',
      '/user/two-factor-required',
    ],
  },
  { shell: 'flow-shell', density: 'user', pages: ['/user/disclaimer', '/user/consent', '/user/launch-context'] },
  { shell: 'user-shell', density: 'user', pages: ['/user/grants', '/user/account-settings'] },
  {
    shell: 'admin-shell',
    density: 'admin',
    pages: [
      '/admin/dashboard',
      '/admin/user-management',
      '/admin/client-management',
      '/admin/openid-configuration',
      '/admin/smart-configuration',
      '/admin/account-settings',
    ],
  },
];

const ofFlow = (call: string) => [`/api/${call}?returnUrl`, '/api/authorization?returnUrl'];

/**
 * The calls that a signed-in person's page begins with, beyond settings and session. `?returnUrl` stands for the page's own.
 * Written as the page will make them: a call that differs in a letter is made twice.
 */
export const firstCalls: Partial<Record<LoadedPage, string[]>> = {
  '/user/grants': ['/api/grant'],
  '/user/disclaimer': ofFlow('disclaimer'),
  '/user/consent': ofFlow('consent'),
  '/user/launch-context': ofFlow('launch-context'),
};
