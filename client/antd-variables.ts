import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ThemeConfig } from 'antd';
import { type Density, themeClass } from './src/app/density.js';
import { portalTheme } from './src/app/theme.js';
import { type AccentColors, accentVariable, type Mode, petrol } from './src/shared/ui/accent.js';

type Variables = Map<string, string>;
/** The variables that Ant Design writes for a theme, as a style sheet. */
type Written = (theme: ThemeConfig) => string;

const densities: Density[] = ['user', 'admin'];
const source = join(import.meta.dirname, 'src');
const reference = /--ant-[\w-]+/g;

/**
 * The theme's variables for both densities and colour schemes, with and without motion, as far as a style sheet uses
 * them. What follows the branding's accent is a reference to one of nine variables, which the browser sets where there
 * is such an accent.
 */
export function variablesSheet(styles: string, written: Written): string {
  const used = usedIn([styles, ...ownSheets()]);
  const themes = (mode: Mode, motion: boolean) =>
    new Map(densities.map((density) => [density, themeVariables({ mode, density, motion }, written, used)]));
  const [light, dark, still] = [themes('light', true), themes('dark', true), themes('light', false)];
  return [
    `:root{${accentRules('light')}}`,
    rules(light),
    `@media (prefers-color-scheme:dark){:root{${accentRules('dark')}}${rules(dark, light)}}`,
    `@media (prefers-reduced-motion:reduce){${rules(still, light)}}`,
  ].join('');
}

const accentKeys = Object.keys(petrol.light) as (keyof AccentColors)[];

const accentRules = (mode: Mode) => accentKeys.map((key) => `${accentVariable(key)}:${petrol[mode][key]};`).join('');

/** Colours that occur nowhere else, so that a value made of one can be told from a value derived of it. */
const marks = (kind: number) =>
  Object.fromEntries(accentKeys.map((key, index) => [key, `#${kind}b${index}d${index}f`])) as unknown as AccentColors;

function themeVariables(
  choice: { mode: Mode; density: Density; motion: boolean },
  written: Written,
  used: (all: Variables) => Set<string>,
): Variables {
  const [values, others] = [1, 2].map((kind) => {
    const accents = marks(kind);
    const css = written(portalTheme({ ...choice, accents }));
    const found = css.matchAll(/(--ant-[\w-]+):([^;}]*)/g);
    const named = (value: string) =>
      accentKeys.reduce(
        (text, key) => text.replaceAll(new RegExp(accents[key], 'gi'), `var(${accentVariable(key)})`),
        fraction(value.replaceAll(/\s+/g, ' ').trim()),
      );
    return new Map(Array.from(found, ([, name = '', value = '']) => [name, named(value)]));
  }) as [Variables, Variables];
  const wanted = used(values);
  const derived = [...wanted].filter((name) => values.get(name) !== others.get(name));
  if (derived.length > 0) throw new Error(`derived from the accent, so not known to the build: ${derived.join(', ')}`);
  return new Map([...values].filter(([name]) => wanted.has(name)));
}

/** A line height such as 20/14 as one: as a number, the build would round it, and lines would be a pixel off. */
function fraction(value: string): string {
  if (!/^\d+\.\d{6,}$/.test(value)) return value;
  const whole = (below: number) => Math.abs(Number(value) * below - Math.round(Number(value) * below)) < 1e-9;
  const below = Array.from({ length: 99 }, (_, index) => index + 2).find(whole);
  return below === undefined ? value : `calc(${Math.round(Number(value) * below)} / ${below})`;
}

/** Which of the variables these style sheets use, directly or in the value of another. */
function usedIn(sheets: string[]): (all: Variables) => Set<string> {
  const named = sheets.flatMap((sheet) => sheet.match(reference) ?? []);
  return (all) => {
    const known = new Set<string>();
    const add = (name: string) => {
      if (known.has(name)) return;
      known.add(name);
      for (const next of all.get(name)?.match(reference) ?? []) add(next);
    };
    for (const name of named) add(name);
    return known;
  };
}

function ownSheets(): string[] {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(?:css|tsx?)$/.test(file),
  );
  return files.map((file) => readFileSync(join(source, file), 'utf8'));
}

/** Wins over the variables that Ant Design writes during development (`vite` alone). */
const selectorOf = (density: Density) => `:root .${themeClass(density)}`;

/** Values that both densities share are written once, those that are as `before` not at all. */
function rules(themes: Map<Density, Variables>, before?: Map<Density, Variables>): string {
  const [[, user], [, admin]] = [...themes] as [[Density, Variables], [Density, Variables]];
  const changed = (density: Density, [name, value]: [string, string]) => before?.get(density)?.get(name) !== value;
  const shared = [...user].filter(
    ([name, value]) => admin.get(name) === value && densities.some((one) => changed(one, [name, value])),
  );
  const rule = (selector: string, values: [string, string][]) =>
    values.length === 0 ? '' : `${selector}{${values.map(([name, value]) => `${name}:${value};`).join('')}}`;
  const own = densities.map((density) => {
    const values = [...(themes.get(density) ?? [])].filter(
      (one) => changed(density, one) && !shared.some(([name]) => name === one[0]),
    );
    return rule(selectorOf(density), values);
  });
  return [rule(densities.map(selectorOf).join(), shared), ...own].join('');
}
