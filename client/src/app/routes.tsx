import { type ComponentType, lazy, Suspense, useSyncExternalStore } from 'react';
import { Outlet, type RouteObject, useLocation } from 'react-router-dom';
import { errorPages, loadedPages, pageAt, type Shell, shells } from '../../../src/contract/rules/pages.js';
import { useSettings } from '../api/settings.js';
import { ErrorPage } from '../features/errors/error-page.js';
import { slowChunks, wantedChunk } from '../shared/loading/chunk.js';
import { LoadFailed } from '../shared/ui/placeholders/load-failed.js';
import { LoadingOverlay } from '../shared/ui/placeholders/loading-overlay.js';
import { Progress } from '../shared/ui/placeholders/progress.js';
import type { Density } from './density.js';
import { Guard } from './guard.js';
import { Themed } from './themed.js';

interface Deferred {
  Component: ComponentType;
  load: () => Promise<unknown>;
}

/** The pages and their frames, each in a chunk of its own: signing in does not carry the admin area. */
const files = import.meta.glob<Record<string, ComponentType>>([
  '../features/*/*-page.tsx',
  '!../features/errors/*',
  './shells/*-shell.tsx',
]);

/** The one component of a file, loaded when it is first shown. */
function deferred(file: string): Deferred {
  const load = files[file];
  if (!load) throw new Error(`There is no ${file}`);
  const component = async () => Object.values(await load())[0] as ComponentType;
  return { Component: lazy(async () => ({ default: await wantedChunk(component) })), load };
}

const frameless: Deferred = { Component: Outlet, load: async () => {} };

const frames = new Map<Shell | null, Deferred>([
  [null, frameless],
  ...(Object.keys(shells) as Shell[]).map((shell): [Shell, Deferred] => [shell, deferred(`./shells/${shell}.tsx`)]),
]);

const framedPages = loadedPages.map(({ path, file, shell }) => ({
  path,
  page: deferred(`../features/${file}.tsx`),
  shell,
  frame: frames.get(shell) ?? frameless,
}));

/** Begins to load the page that an address will most likely show, while settings and session are still loading. */
export function preload(address: string): void {
  const wanted = pageAt(address);
  const known = framedPages.find(({ path }) => path === wanted);
  // A chunk that cannot be loaded shows when it is needed, in the same way as without a preload.
  for (const { load } of known ? [known.page, known.frame] : []) load().catch(() => {});
}

function Framed({ shell, density }: { shell: Deferred; density: Density }) {
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

const route = (path: string, Component: ComponentType): RouteObject => ({
  path,
  element: <Component />,
  errorElement: <PageFailed />,
});

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
  const slow = useSyncExternalStore(slowChunks.subscribe, slowChunks.are);
  return (
    <Suspense fallback={<LoadingOverlay />}>
      <Outlet />
      {slow && <Progress />}
    </Suspense>
  );
}

/** In place of a page that cannot be shown, mostly because a part of it cannot be had. */
function PageFailed() {
  return <LoadFailed heading="h1" onRetry={() => window.location.reload()} />;
}

/** The same where there is not even a frame around it. */
function RootFailed() {
  return (
    <Themed density="user" accent={null}>
      <main>
        <PageFailed />
      </main>
    </Themed>
  );
}

export const routes: RouteObject[] = [
  {
    element: <Root />,
    errorElement: <RootFailed />,
    children: [
      {
        element: <Guard />,
        children: [
          { path: '/', element: null },
          ...[...frames].map(([name, frame]) => ({
            element: <Framed shell={frame} density={name === null ? 'user' : shells[name].density} />,
            children: framedPages
              .filter(({ shell }) => shell === name)
              .map(({ path, page }) => route(path, page.Component)),
          })),
        ],
      },
      {
        element: <Unframed />,
        children: [
          ...errorPages.map(({ path, error }) => route(path, () => <ErrorPage kind={error} />)),
          { element: <Unknown />, children: [{ path: '*', element: <ErrorPage kind="notFound" /> }] },
        ],
      },
    ],
  },
];
