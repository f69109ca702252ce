import { z } from 'zod';

const mostBytes = 256 * 1024;

/** First bytes of a file per media type. */
const beginnings: Readonly<Record<string, (content: Buffer) => boolean>> = {
  'image/png': (content) => content.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex')),
  'image/jpeg': (content) => content.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex')),
  'image/x-icon': isIcon,
  'image/vnd.microsoft.icon': isIcon,
  'image/webp': (content) =>
    content.toString('latin1', 0, 4) === 'RIFF' && content.toString('latin1', 8, 12) === 'WEBP',
  'image/svg+xml': (content) => /^(?:<\?xml[^>]*\?>|<!--(?:(?!-->)[\s\S])*-->|\s)*<svg[\s>]/.test(svgText(content)),
};

/** An SVG may contain content that a browser runs or loads when it opens the file by its URL. */
const active = /<script|<foreignObject|<!ENTITY|<!DOCTYPE|\son[a-z]+\s*=|javascript:/i;

function isIcon(content: Buffer): boolean {
  return content.subarray(0, 4).equals(Buffer.from('00000100', 'hex'));
}

function svgText(content: Buffer): string {
  return content.toString('utf8').replace(/^\ufeff/, '');
}

/**
 * A picture in the configuration: of a supported type, within the size limit of pages, and with content that matches
 * its media type.
 */
export const picture = z
  .strictObject({
    mimeType: z
      .string()
      .refine((type) => Object.hasOwn(beginnings, type), `must be one of ${Object.keys(beginnings).join(', ')}`)
      .describe('Media type of the picture: PNG, JPEG, ICO, WebP or SVG.'),
    base64: z
      .base64()
      .refine((text) => Buffer.byteLength(text, 'base64') <= mostBytes, 'must be a picture of at most 256 KB')
      .describe('The picture itself, of at most 256 KB; a drawing (SVG) without scripts.'),
  })
  .superRefine(({ mimeType, base64 }, context) => {
    const content = Buffer.from(base64, 'base64');
    const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['base64'], message });
    if (beginnings[mimeType]?.(content) === false) refuse(`must be a picture of the type ${mimeType}`);
    else if (mimeType === 'image/svg+xml' && active.test(svgText(content))) refuse('must be a drawing without scripts');
  });
