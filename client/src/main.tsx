import 'virtual:antd.css';
import './shared/fonts/inter.css';
import './app/base.css';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { I18nextProvider } from 'react-i18next';
import { Provider } from 'react-redux';
import { createBrowserRouter, createMemoryRouter, RouterProvider } from 'react-router-dom';
import { preload, routes } from './app/routes.js';
import { createStore } from './app/store.js';
import { basePath, insidePath, portalPath } from './shared/addresses/base-path.js';
import { endedAt, withReturnUrl } from './shared/addresses/return-url.js';
import { leave } from './shared/browser/leave.js';
import { i18n, t } from './shared/i18n/i18n.js';
import { chooseLanguage, wantedLanguages } from './shared/i18n/language.js';
import { carryNoticesOver, notify } from './shared/notices.js';

/** The server's wish to show an error page whatever the address is: a refused authorization does not redirect. */
const error = document.querySelector<HTMLMetaElement>('meta[name="gatehouse-error"]')?.content;

const router = error
  ? createMemoryRouter(routes, { initialEntries: [withReturnUrl(`/error/${error}`, endedAt(window.location, error))] })
  : createBrowserRouter(routes, { basename: basePath || '/' });

if (!error) preload(insidePath(window.location.pathname) ?? '');

const language = chooseLanguage(wantedLanguages(window.location.search, navigator.languages));

const store = createStore({
  location: () => ({ path: router.state.location.pathname, search: router.state.location.search }),
  // At once, or the page would show the failure for a moment.
  navigate: (to) => router.navigate(to, { replace: true, flushSync: true }),
  leaveTo: (to) => leave(portalPath(to)),
  notice: () => notify('error', t('errors.generic')),
});

carryNoticesOver();
await language;

// A transition is rendered in pieces, between which the browser paints and answers the user.
startTransition(() =>
  createRoot(document.getElementById('root') as HTMLElement).render(
    <StrictMode>
      <I18nextProvider i18n={i18n}>
        <Provider store={store}>
          <RouterProvider router={router} />
        </Provider>
      </I18nextProvider>
    </StrictMode>,
  ),
);
