import { type ComponentType, lazy, Suspense } from 'react';
import { Outlet, type RouteObject, useLocation } from 'react-router-dom';
import { useSettings } from '../api/settings.js';
import { type ErrorKind, ErrorPage } from '../features/errors/error-page.js';
import { isPage, type Page } from '../shared/pages.js';
import { LoadingOverlay } from '../shared/ui/loading-overlay.js';
import { Guard } from './guard.js';
import type { Density } from './theme.js';
import { Themed } from './themed.js';

interface Deferred {
  Component: ComponentType;
  load: () => Promise<unknown>;
}

/** A component that is loaded when it is first shown: signing in does not carry the admin area. */
function deferred<Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name): Deferred {
  return {
    Component: lazy(async (): Promise<{ default: ComponentType }> => ({ default: (await load())[name] })),
    load,
  };
}

/** The error pages are there from the start: what they report may be that nothing can be loaded any more. */
const atOnce = (kind: ErrorKind): Deferred => ({ Component: () => <ErrorPage kind={kind} />, load: async () => {} });

const accountSettings = deferred(
  () => import('../features/account-settings/account-settings-page.js'),
  'AccountSettingsPage',
);

const components: Record<Page, Deferred> = {
  '/welcome': deferred(() => import('../features/welcome/welcome-page.js'), 'WelcomePage'),
  '/login': deferred(() => import('../features/login/login-page.js'), 'LoginPage'),
  '/register': deferred(() => import('../features/register/register-page.js'), 'RegisterPage'),
  '/account/activate': deferred(() => import('../features/passwords/activate-page.js'), 'ActivatePage'),
  '/account/error': deferred(() => import('../features/login/account-error-page.js'), 'AccountErrorPage'),
  '/password/forgot': deferred(() => import('../features/passwords/forgot-password-page.js'), 'ForgotPasswordPage'),
  '/password/reset': deferred(() => import('../features/passwords/reset-password-page.js'), 'ResetPasswordPage'),
  '/admin/dashboard': deferred(() => import('../features/dashboard/dashboard-page.js'), 'DashboardPage'),
  '/admin/user-management': deferred(() => import('../features/users/users-page.js'), 'UsersPage'),
  '/admin/account-settings': accountSettings,
  '/user/account-settings': accountSettings,
  '/admin/client-management': deferred(() => import('../features/clients/clients-page.js'), 'ClientsPage'),
  '/admin/openid-configuration': deferred(
    () => import('../features/discovery/openid-configuration-page.js'),
    'OpenidConfigurationPage',
  ),
  '/admin/smart-configuration': deferred(
    () => import('../features/discovery/smart-configuration-page.js'),
    'SmartConfigurationPage',
  ),
  '/user/grants': deferred(() => import('../features/grants/grants-page.js'), 'GrantsPage'),
  '/user/disclaimer': deferred(() => import('../features/disclaimers/disclaimers-page.js'), 'DisclaimersPage'),
  '/user/consent': deferred(() => import('../features/consent/consent-page.js'), 'ConsentPage'),
  '/user/launch-context': deferred(
    () => import('../features/launch-context/launch-context-page.js'),
    'LaunchContextPage',
  ),
  '/user/two-factor-required': deferred(
    () => import('../features/two-factor/two-factor-required-page.js'),
    'TwoFactorRequiredPage',
  ),
  '/error/400': atOnce('badRequest'),
  '/error/404': atOnce('notFound'),
  '/error/500': atOnce('server'),
};

interface Frame {
  shell: Deferred;
  density: Density;
  pages: Page[];
}

const bare: Deferred = { Component: Outlet, load: async () => {} };

/** Which frame stands around which pages, and how dense they are. */
const frames: Frame[] = [
  { shell: bare, density: 'user', pages: ['/welcome'] },
  {
    shell: deferred(() => import('./shells/card-shell.js'), 'CardShell'),
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
  {
    shell: deferred(() => import('./shells/flow-shell.js'), 'FlowShell'),
    density: 'user',
    pages: ['/user/disclaimer', '/user/consent', '/user/launch-context'],
  },
  {
    shell: deferred(() => import('./shells/user-shell.js'), 'UserShell'),
    density: 'user',
    pages: ['/user/grants', '/user/account-settings'],
  },
  {
    shell: deferred(() => import('./shells/admin-shell.js'), 'AdminShell'),
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

/** Begins to load what an address will most likely show, while settings and session are still on their way. */
export function preload(path: string): void {
  if (!isPage(path)) return;
  const frame = frames.find(({ pages }) => pages.includes(path));
  // A chunk that cannot be had shows when it is needed, in the same way as without a preload.
  for (const { load } of [components[path], frame?.shell ?? bare]) load().catch(() => {});
}

function Framed({ shell, density }: Pick<Frame, 'shell' | 'density'>) {
  const { accentColor } = useSettings();
  return (
    <Themed density={density} accent={accentColor}>
      <shell.Component />
    </Themed>
  );
}

/** Error pages ask the server nothing, so they stand in the product's own colours. */
function Unframed() {
  return (
    <Themed density="user" accent={null}>
      <Outlet />
    </Themed>
  );
}

const page = (path: Page): RouteObject => {
  const { Component } = components[path];
  return { path, element: <Component /> };
};

/** An unknown path shows the 404 page; within an area only to those who may be there. */
function Unknown() {
  const { pathname } = useLocation();
  return /^\/(admin|user)(\/|$)/.test(pathname) ? <Guard /> : <Outlet />;
}

/**
 * One boundary around everything: while a page is loading, the one before it stays (navigations are transitions), and
 * there is never one fallback after the other.
 */
function Root() {
  return (
    <Suspense fallback={<LoadingOverlay />}>
      <Outlet />
    </Suspense>
  );
}

export const routes: RouteObject[] = [
  {
    element: <Root />,
    children: [
      {
        element: <Guard />,
        children: [
          { path: '/', element: null },
          ...frames.map(({ shell, density, pages }) => ({
            element: <Framed shell={shell} density={density} />,
            children: pages.map(page),
          })),
        ],
      },
      {
        element: <Unframed />,
        children: [
          ...(['/error/400', '/error/404', '/error/500'] as const).map(page),
          { element: <Unknown />, children: [{ path: '*', element: <ErrorPage kind="notFound" /> }] },
        ],
      },
    ],
  },
];
