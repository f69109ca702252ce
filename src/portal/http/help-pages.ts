import { randomBytes } from 'node:crypto';
import type { CauseCode } from '../../contract/activity/catalogue.js';
import { generalCause, type OAuthError, oauthErrors } from '../../contract/activity/oauth-errors.js';
import { portalPath } from '../../platform/http/base-path.js';
import { escapeHtml, plainStyle } from '../../platform/http/plain-page.js';

export interface HelpPage {
  html: string;
  contentSecurityPolicy: string;
}

const style = `${plainStyle}
main { box-sizing: border-box; width: min(720px, 100vw - 32px); margin: 0 auto; padding: 56px 0 72px; overflow-wrap: anywhere }
.kind { margin: 24px 0 4px; color: var(--link); font-weight: 600; font-size: 15px; letter-spacing: .03em }
h1 { margin: 0 0 16px; font-size: 28px; line-height: 36px; font-weight: 600; letter-spacing: -.015em }
h2 { margin: 32px 0 8px; font-size: 18px; line-height: 26px; font-weight: 600 }
p { margin: 0 0 12px; color: var(--lead) }
.lead { color: var(--text); font-size: 18px; line-height: 28px }
ul { list-style: none; margin: 0; padding: 0; border: 1px solid var(--edge); border-radius: 12px; background: var(--card) }
li { padding: 16px 20px }
li + li { border-top: 1px solid var(--edge) }
li > a + p { margin-top: 0 }
li p { margin: 4px 0 0; font-size: 15px }
li strong { font-weight: 600 }
code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .94em }
a { color: var(--link) }
nav { margin-top: 40px }
nav a, li > a { display: flex; align-items: center; min-height: 44px; width: fit-content }`;

const mark = `<svg width="44" height="44" viewBox="0 0 44 44" aria-hidden="true"><rect width="44" height="44" rx="11" fill="var(--accent)"/><path d="M11.5 33.5V21a10.5 10.5 0 0 1 21 0v12.5M18.5 33.5V22.25a3.5 3.5 0 0 1 7 0V33.5" fill="none" stroke="#fff" stroke-width="3.2" stroke-linecap="round"/></svg>`;

const reference = `<h2>Reference</h2>
<p>A refused launch has a reference, such as <code>NB-7Q4K-2M</code>: at the end of <code>error_description</code>, in the header
<code>X-Launch-Reference</code> and on the user's page. The administrator of this portal finds with it which setting decided.</p>`;

const toAll = () => `<nav><a href="${portalPath('/help/errors')}">All error codes</a></nav>`;

export function errorHelpPage(code: string, { text, advice, causes = [] }: OAuthError): HelpPage {
  const list = causes.length > 0 ? `<h2>Possible causes</h2><ul>${causes.map(causeItem).join('')}</ul>` : '';
  return page(
    code,
    `<p class="kind">Error code</p><h1><code>${code}</code></h1><p class="lead">${escapeHtml(text)}</p>
<h2>What to do</h2><p>${escapeHtml(advice)}</p>${list}${reference}${toAll()}`,
  );
}

export function allErrorsPage(): HelpPage {
  const items = Object.entries(oauthErrors).map(
    ([code, { text }]) =>
      `<li><a href="${portalPath(`/help/errors/${code}`)}"><code>${code}</code></a><p>${escapeHtml(text)}</p></li>`,
  );
  return page('Error codes', `<h1>Error codes</h1><ul>${items.join('')}</ul>`);
}

export function unknownErrorPage(): HelpPage {
  return page(
    'Unknown error code',
    `<p class="kind">404</p><h1>Unknown error code</h1><p class="lead">This portal never answers with this code.</p>${toAll()}`,
  );
}

function causeItem(code: CauseCode): string {
  const { title, text, change } = generalCause(code);
  const lines = [text, change].filter((line) => line !== undefined);
  return `<li><strong>${escapeHtml(title)}</strong>${lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('')}</li>`;
}

function page(title: string, content: string): HelpPage {
  const nonce = randomBytes(16).toString('base64');
  return {
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} - Gatehouse</title><style nonce="${nonce}">${style}</style></head><body><main>${mark}${content}</main></body></html>`,
    contentSecurityPolicy: `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}
