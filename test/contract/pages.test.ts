import { existsSync } from 'node:fs';
import {
  errorPages,
  isPage,
  isPageFor,
  loadedPages,
  pageAt,
  pages,
  shells,
  stepPages,
  stepPaths,
} from '../../src/contract/rules/pages.js';

const pathsWith = (shell: keyof typeof shells | null) =>
  loadedPages.filter((page) => page.shell === shell).map(({ path }) => path);

describe('the table of pages', () => {
  it('has each path either as a page of the client or as an error page', () => {
    const listed = [...loadedPages, ...errorPages].map(({ path }) => path);
    expect(listed).toEqual(Object.keys(pages));
  });

  it('recognises its own paths, and neither others nor inherited names', () => {
    expect(Object.keys(pages).every(isPage)).toBe(true);
    for (const other of ['/', '/admin', '/welcome/', '/Login', 'toString', '']) expect(isPage(other)).toBe(false);
  });

  it('has one page for all references of launches', () => {
    expect(pageAt('/admin/activity/NB-7Q4K-2M')).toBe('/admin/activity/:reference');
    expect(pageAt('/admin/activity')).toBe('/admin/activity');
    for (const other of ['/admin/activity/', '/admin/activity/a/b', '/admin/x/a', 'x'])
      expect(pageAt(other)).toBe(undefined);
    for (const other of ['\n/admin/activity/a', '/admin/activity/a/', 'https://x.example/admin/activity/a'])
      expect([other, pageAt(other)]).toEqual([other, undefined]);
  });

  it('shows the log of accesses to patients only, and any other page to everyone', () => {
    const of = (path: string) =>
      (['Patient', 'Practitioner', 'Admin'] as const).filter((type) => isPageFor(type, path));
    expect(of('/user/access-log')).toEqual(['Patient']);
    expect(of('/user/family/invite')).toEqual(['Patient']);
    expect(of('/user/family/ended/1')).toEqual(['Patient']);
    expect(of('/user/family/request')).toEqual(['Patient']);
    for (const path of ['/login', '/user/grants', '/user/receipts/5', '/admin/dashboard', '/error/404', '/nowhere'])
      expect(of(path)).toEqual(['Patient', 'Practitioner', 'Admin']);
  });

  it.each(loadedPages)('names the component of $path and its frame by their files', ({ file, shell }) => {
    expect(existsSync(`client/src/features/${file}.tsx`)).toBe(true);
    expect(shell === null || existsSync(`client/src/app/shells/${shell}.tsx`)).toBe(true);
  });

  it('frames pages by what the user is doing', () => {
    expect(pathsWith(null)).toEqual(['/welcome']);
    expect(pathsWith('card-shell')).toEqual([
      '/login',
      '/register',
      '/account/activate',
      '/account/error',
      '/account/keep',
      '/account/recovery',
      '/password/forgot',
      '/password/reset',
      '/ask',
      '/invitation',
      '/user/two-factor-required',
      '/admin/stronger-sign-in',
    ]);
    expect(pathsWith('flow-shell')).toEqual([
      '/user/family-news',
      '/user/paused-app',
      '/user/disclaimer',
      '/user/launch-context',
      '/user/consent',
    ]);
    expect(pathsWith('user-shell')).toEqual([
      '/user/grants',
      '/user/access-log',
      '/user/family',
      '/user/family/birthdays/:id',
      '/user/family/ended/:id',
      '/user/family/invite',
      '/user/family/request',
      '/user/family/requests/:id',
      '/user/receipts/:id',
      '/user/account-settings',
    ]);
    expect(pathsWith('admin-shell')).toEqual(
      Object.keys(pages).filter((path) => path.startsWith('/admin/') && path !== '/admin/stronger-sign-in'),
    );
  });

  it('shows a header on every page but the cards, and a dense one in the admin area', () => {
    expect(shells).toEqual({
      'card-shell': { density: 'user', bar: false },
      'flow-shell': { density: 'user', bar: true },
      'user-shell': { density: 'user', bar: true },
      'admin-shell': { density: 'admin', bar: true },
    });
  });

  it('orders the steps of an authorization', () => {
    expect(Object.entries(stepPages)).toEqual([
      ['two-factor', '/user/two-factor-required'],
      ['family-news', '/user/family-news'],
      ['paused', '/user/paused-app'],
      ['disclaimers', '/user/disclaimer'],
      ['launch-context', '/user/launch-context'],
      ['consent', '/user/consent'],
    ]);
    expect(stepPaths).toEqual(Object.values(stepPages));
  });

  it('preloads the calls of a step for the return URL of its page', () => {
    const calls = loadedPages.filter((page) => page.calls).map((page) => [page.path, page.calls]);
    expect(Object.fromEntries(calls)).toEqual({
      '/user/paused-app': ['/api/authorization?returnUrl'],
      '/user/disclaimer': ['/api/disclaimer?returnUrl', '/api/authorization?returnUrl'],
      '/user/launch-context': ['/api/launch-context?returnUrl', '/api/authorization?returnUrl'],
      '/user/consent': ['/api/consent?returnUrl', '/api/authorization?returnUrl'],
      '/user/grants': ['/api/grant'],
    });
  });

  it('has an error page for each kind of failure', () => {
    expect(errorPages).toEqual([
      { path: '/error/400', error: 'badRequest' },
      { path: '/error/404', error: 'notFound' },
      { path: '/error/429', error: 'throttled' },
      { path: '/error/500', error: 'server' },
    ]);
  });
});
