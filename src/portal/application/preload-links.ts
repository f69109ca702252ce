import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { type LoadedPage, loadedPages, type Path, pageAt, shells } from '../../contract/rules/pages.js';
import { Config } from '../../platform/config/config.js';
import { insidePath, portalPath } from '../../platform/http/base-path.js';
import { clientFolder } from '../../platform/http/client-document.js';
import { escapeHtml } from '../../platform/http/plain-page.js';

interface PreloadedPage extends LoadedPage {
  scripts: string[];
}

/** Calls that every page but the error pages makes before anything else. */
const always = ['/api/settings', '/api/session'];

/**
 * Preload links for the resources of a page, named in its document, so that the browser requests all of them at once
 * rather than one after the other: on a phone each round trip takes longer than the answer at its end.
 */
@Injectable()
export class PreloadLinks {
  private readonly pages = read();
  private readonly issuer: string;
  private readonly organization: string;

  constructor({ server: { issuer }, branding }: Config) {
    this.issuer = issuer;
    this.organization = escapeHtml(branding.organizationTitle ?? 'Gatehouse');
  }

  /** The links as HTML for the parts of the document at this address. */
  forPage(url: string, hasSession: boolean): { head: string; body: string } {
    const address = URL.canParse(url, this.issuer) ? new URL(url, this.issuer) : undefined;
    const path = address && pageAt(address.pathname);
    const page = path && this.pages.get(path);
    if (!page) return { head: '', body: '' };
    // Without a session the browser is sent to another page.
    const calls = (hasSession && page.calls) || [];
    return {
      head: this.links(page, [...always, ...calls], this.returnUrlOf(address)),
      body: this.headerPlaceholder(page),
    };
  }

  /** A placeholder of the header while the scripts are loading (`.early` in early.css). */
  private headerPlaceholder({ shell }: LoadedPage): string {
    if (shell === null || !shells[shell].bar) return '';
    const name = shells[shell].density === 'admin' ? 'early dense' : 'early';
    return `<div class="${name}" aria-hidden="true">${this.organization}</div>`;
  }

  private links({ scripts }: PreloadedPage, ownCalls: string[], returnUrl: string | undefined): string {
    const calls = ownCalls.flatMap((call) => {
      const [path, parameter] = call.split('?');
      if (parameter === undefined) return [call];
      return returnUrl === undefined ? [] : [`${path}?${new URLSearchParams({ returnUrl })}`];
    });
    return [
      // A preload is used by a call of the same mode and with the same cookies only.
      ...calls.map((href) => `<link rel="preload" as="fetch" crossorigin href="${portalPath(href)}">`),
      ...scripts.map((href) => `<link rel="modulepreload" crossorigin href="${portalPath(href)}">`),
    ].join('');
  }

  /** The returnUrl as the page itself will pass it on; only a pending authorization is one. */
  private returnUrlOf({ searchParams: query }: URL): string | undefined {
    const raw = query.get('returnUrl') ?? query.get('ReturnUrl');
    if (!raw || !URL.canParse(raw, this.issuer)) return undefined;
    const { origin, pathname, search, hash } = new URL(raw, this.issuer);
    const inside = origin === new URL(this.issuer).origin ? insidePath(pathname) : undefined;
    const ours = inside?.startsWith('/connect/authorize/');
    return ours ? pathname + search + hash : undefined;
  }
}

/** Empty without a built client. */
function read(): Map<Path, PreloadedPage> {
  try {
    const built: Record<string, string[]> = JSON.parse(readFileSync(join(clientFolder, '.preload-links.json'), 'utf8'));
    return new Map(loadedPages.map((page) => [page.path, { ...page, scripts: built[page.path] ?? [] }]));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw error;
  }
}
