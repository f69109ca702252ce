import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Context, Liquid } from 'liquidjs';
import { codeOf, english } from '../../contract/messages/catalogue.js';
import { amountOf, type DurationUnit } from '../../contract/messages/duration.js';
import type { MessageCode, Params } from '../../contract/messages/message.js';
import { listAfterColon } from '../../contract/rules/text.js';
import { Config } from '../config/config.js';
import { ConfigError } from '../config/load-config.js';
import type { Language } from '../language/language.js';
import { currentLanguage, Languages } from '../language/languages.js';

export const mailNames = [
  'activation',
  'password-reset',
  'password-changed',
  'two-factor-changed',
  'two-factor-reset',
  'passkey-changed',
  'recovery-code-used',
  'many-failures',
  'app-access-ended',
  'receipt',
  'account-recovery',
  'account-deletion',
  'account-deleted',
  'asker',
  'asker-known',
  'invitation',
  'invitation-ended',
  'family-changed',
  'request-answered',
  'record-seen-in-error',
  'family-changes',
  'test-mail',
] as const;

/** Each has `<name>.txt.liquid`, whose first line is the subject, and `<name>.html.liquid`. */
export type MailName = (typeof mailNames)[number];

export interface RenderedMail {
  subject: string;
  text: string;
  html: string;
}

/** A number with its unit, such as 72 hours. */
interface Amount {
  number: number;
  unit: DurationUnit;
}

/** Kinds of data, such as `Observation/laboratory`. */
interface Kinds {
  kinds: readonly string[];
}

/** The values of a mail; times, amounts and kinds of data are written in its language. */
export type MailValues = Readonly<Record<string, string | number | boolean | Date | Amount | Kinds>>;

const builtIn = join(dirname(fileURLToPath(import.meta.url)), 'templates');
const accent = '#0A6375';

/**
 * The mails, from Liquid templates. `{{ 'mail-greeting' | translate }}` is a message of the catalogue with the values
 * of the template filled in; `{{ 'mail-recovery-codes-left' | translate: left }}` takes the form for this number. A
 * deployer replaces any template by a file of the same name; what a template, also a replaced one, prints into HTML is
 * escaped (security H-11).
 */
@Injectable()
export class MailTemplates implements OnModuleInit {
  private readonly html: Liquid;
  private readonly text: Liquid;
  private readonly brand: { organization: string; accent: string; portal: string };

  private readonly templatesDir: string | undefined;
  /** The hospital's: that of the reader is not known. */
  private readonly timeZone: string;

  constructor(
    { email, branding, server, locale }: Config,
    private readonly languages: Languages,
  ) {
    const { templatesDir } = email;
    this.templatesDir = templatesDir;
    this.timeZone = locale.timeZone ?? 'UTC';
    const root = templatesDir === undefined ? [builtIn] : [templatesDir, builtIn];
    const options = { root, cache: true, ownPropertyOnly: true, strictFilters: true };
    this.html = new Liquid({ ...options, outputEscape: 'escape' });
    this.text = new Liquid(options);
    for (const engine of [this.html, this.text]) this.addFilter(engine);
    this.brand = {
      organization: branding.organizationTitle ?? 'Gatehouse',
      accent: branding.accentColor ?? accent,
      portal: server.issuer,
    };
  }

  /** Prevents the start when a template of the deployer cannot be used: found now, not with the first mail. */
  onModuleInit(): void {
    const problems = this.templatesDir === undefined ? [] : this.problems(this.templatesDir);
    if (problems.length > 0) throw new ConfigError(problems);
  }

  /** Without a locale that there are texts for, the mail is in the language of the request that causes it. */
  async render(name: MailName, values: MailValues, locale?: string): Promise<RenderedMail> {
    const language = (locale && this.languages.firstKnown([locale])) || currentLanguage();
    const { tag, direction } = language;
    const scope = { ...writtenValues(values, language, this.timeZone), ...this.brand, language: tag, direction };
    const [text, html] = await Promise.all([
      this.text.renderFile(`${name}.txt.liquid`, scope) as Promise<string>,
      this.html.renderFile(`${name}.html.liquid`, scope) as Promise<string>,
    ]);
    const [subject = '', ...lines] = text.split('\n');
    return { subject: subject.trim(), text: lines.join('\n').trim(), html };
  }

  private addFilter(engine: Liquid): void {
    const { languages } = this;
    engine.registerFilter('translate', function (this: { context: Context }, name: unknown, number?: unknown) {
      const { language, ...values } = this.context.getAll() as Written;
      const former = replaced.get(String(name));
      const code = former?.code ?? name;
      if (!isCode(code)) return code;
      const count = Number(number ?? (former && values[former.number]));
      const params = (Number.isNaN(count) ? values : { ...values, count }) as Params;
      return languages.language([String(language)]).render({ code, params });
    });
  }

  private problems(templatesDir: string): string[] {
    if (!existsSync(templatesDir)) return [`email.templatesDir: there is no folder ${templatesDir}`];
    const known = new Set(readdirSync(builtIn));
    return readdirSync(templatesDir)
      .filter((file) => file.endsWith('.liquid'))
      .flatMap((file) => {
        if (!known.has(file)) return [`email.templatesDir: ${file} replaces no template`];
        try {
          (file.includes('.html.') ? this.html : this.text).parseFileSync(file);
          return [];
        } catch (error) {
          return [`email.templatesDir: ${file}: ${error instanceof Error ? error.message : String(error)}`];
        }
      });
  }
}

/** Messages of earlier releases, which templates of operators may name: a message that counts replaces them. */
const replaced = new Map([
  ['mail-recovery-codes-left-none', { code: 'mail-recovery-codes-left', number: 'left' }],
  ['mail-recovery-codes-left-one', { code: 'mail-recovery-codes-left', number: 'left' }],
]);

const codes = new Set(Object.keys(english).map(codeOf));

function isCode(text: unknown): text is MessageCode {
  return typeof text === 'string' && codes.has(text);
}

type Written = Record<string, string | number | boolean>;

function writtenValues(values: MailValues, language: Language, timeZone: string): Written {
  const { tag } = language;
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (value instanceof Date) return [name, timeOf(value, tag, timeZone)];
      if (typeof value !== 'object') return [name, typeof value === 'string' ? inOneLine(value) : value];
      if ('kinds' in value) return [name, listAfterColon(language.kindNames(value.kinds), tag)];
      return [name, amountOf(value.number, value.unit, tag)];
    }),
  );
}

/** A line break in a name would begin a new line of the mail, and in the subject a new header. */
function inOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}

function timeOf(time: Date, language: string, timeZone: string): string {
  const locale = language === 'en' ? 'en-US' : language;
  const parts = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' }).formatToParts(time);
  const zone = parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
  return `${time.toLocaleString(locale, { dateStyle: 'long', timeStyle: 'short', timeZone })} ${zone}`;
}
