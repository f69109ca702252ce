import { z } from 'zod';

const mailAddress = z.email();
const controlCharacter = /\p{Cc}/u;

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
