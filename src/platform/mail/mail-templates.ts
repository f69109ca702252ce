import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OnModuleInit } from '@nestjs/common';
import { Liquid } from 'liquidjs';
import type { Config } from '../config/config.js';
import { ConfigError } from '../config/load-config.js';

const mailNames = [
  'activation',
  'password-reset',
  'password-changed',
  'two-factor-changed',
  'recovery-code-used',
  'many-failures',
  'app-access-ended',
] as const;

/** Each has `<name>.txt.liquid`, whose first line is the subject, and `<name>.html.liquid`. */
export type MailName = (typeof mailNames)[number];

export interface RenderedMail {
  subject: string;
  text: string;
  html: string;
}

const builtIn = join(dirname(fileURLToPath(import.meta.url)), 'templates');
const accent = '#0A6375';

/**
 * Texts of the mails, from Liquid templates. A deployer replaces any of them by a file of the same name; values that a
 * template, also a replaced one, prints into HTML are escaped (security H-11).
 */
export class MailTemplates implements OnModuleInit {
  private readonly html: Liquid;
  private readonly text: Liquid;
  private readonly brand: { organization: string; accent: string; portal: string };

  private readonly templatesDir: string | undefined;

  constructor({ email, branding, server }: Config) {
    const { templatesDir } = email;
    this.templatesDir = templatesDir;
    const root = templatesDir === undefined ? [builtIn] : [templatesDir, builtIn];
    const options = { root, cache: true, ownPropertyOnly: true, strictFilters: true };
    this.html = new Liquid({ ...options, outputEscape: 'escape' });
    this.text = new Liquid(options);
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

  async render(name: MailName, values: Record<string, unknown>): Promise<RenderedMail> {
    const scope = { ...printable(values), ...this.brand };
    const [text, html] = await Promise.all([
      this.text.renderFile(`${name}.txt.liquid`, scope) as Promise<string>,
      this.html.renderFile(`${name}.html.liquid`, scope) as Promise<string>,
    ]);
    const [subject = '', ...lines] = text.split('\n');
    return { subject: subject.trim(), text: lines.join('\n').trim(), html };
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

/** Removes line breaks: one in a name would begin a new line of the mail, and in the subject a new header. */
function printable(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ') : value,
    ]),
  );
}
