import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { productRoot } from '../../src/platform/process/product.js';

/**
 * Code that sends an address of the portal to the browser without the router or a redirect, which add the path of the
 * issuer.
 */
const addressPatterns: readonly RegExp[] = [
  /\b(?:href|src|action)=(?:"|\{'|\{`|\{")\/(?!\/)/,
  /\b(?:href|action): ['"`]\/(?!\/)/,
  /\b(?:assign|replace|open|fetch|sendBeacon|EventSource|leave)\((?:\s*)['"`]\/(?!\/)/,
  /\blocation(?:\.href)? = ['"`]\//,
  /\bbaseUrl: ['"`]\//,
  /\borigin\}\//,
  /[Pp]ath[=:] ?['"]?\/['"]?[;,} ].*(?:[Cc]ookie|httpOnly|HttpOnly)/,
];

const files = (folder: string): string[] =>
  readdirSync(join(productRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.ts$/.test(name))
    .map((name) => join(folder, name));

const offences = (text: string): string[] =>
  text.split('\n').filter((line) => addressPatterns.some((pattern) => pattern.test(line)));

describe('An address sent to the browser', () => {
  it('has the path of the issuer because it goes through portalPath', () => {
    const all = [...files('client/src'), ...files('src')];
    expect(all.length).toBeGreaterThan(400);
    const found = all.flatMap((file) =>
      offences(readFileSync(join(productRoot, file), 'utf8')).map((line) => `${file}: ${line.trim()}`),
    );
    expect(found).toEqual([]);
  });

  it.each([
    '<a href="/user/grants">',
    "<Button href={'/'}>",
    "link: { href: '/', label }",
    "window.location.assign('/logout')",
    "window.open('/login')",
    'fetch(`/api/language`)',
    "leave('/login')",
    "baseUrl: '/api',",
    '`Path=/; HttpOnly`',
  ])('without portalPath is found: %s', (line) => {
    expect(offences(line)).toEqual([line]);
  });
});
