import { z } from 'zod';

const mailAddress = z.email();
const controlCharacter = /\p{Cc}/u;

export const email = z.strictObject({
  smtp: z
    .strictObject({
      host: z.string().min(1).describe('Name of the mail server.'),
      port: z.coerce.number().int().min(1).max(65_535).default(587).describe('Its port.'),
      security: z
        .enum(['starttls', 'tls', 'none'])
        .default('starttls')
        .describe('How the connection is protected; with `starttls` a connection without TLS is refused.'),
      user: z.string().optional().describe('User name, if the mail server requires authentication.'),
      password: z.string().optional().describe('Password to sign in with.'),
      ehloName: z
        .string()
        .regex(/^(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.(?!$)|$))+$/, 'must be a host name')
        .optional()
        .describe('Host name in EHLO; by default that of the machine.'),
    })
    .optional()
    .describe('The mail server (SMTP). Without one, mail is kept until there is one.'),
  from: z
    .string()
    .refine((text) => senderOf(text) !== undefined, 'must be an e-mail address, or Name <address>')
    .optional()
    .describe(
      'Address that mail is sent from, or `Name <address>`; the name is `branding.organizationTitle` otherwise. Needed with a mail server.',
    ),
  templatesDir: z
    .string()
    .optional()
    .describe('Folder with Liquid templates that replace those of the same name in `src/platform/mail/templates`.'),
});

/** Parses `address`, `Name <address>` or `"Name" <address>` (RFC 5322 §3.4); undefined for any other text. */
export function senderOf(text: string): { name?: string; address: string } | undefined {
  if (controlCharacter.test(text)) return undefined;
  const named = /^(?:"((?:[^"\\]|\\.)+)"|([^"<>@,;:]+?))\s*<([^<>]+)>$/.exec(text.trim());
  const [, quoted, plain, inside] = named ?? [];
  const address = inside ?? text.trim();
  if (!mailAddress.safeParse(address).success) return undefined;
  const name = (quoted?.replace(/\\(.)/g, '$1') ?? plain)?.trim();
  return name ? { name, address } : { address };
}
