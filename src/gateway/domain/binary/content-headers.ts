const token = "[\\w!#$%&'*+.^`|~-]+";
/** A media type with its parameters (RFC 9110 §8.3.1). */
const mediaType = new RegExp(`^${token}/${token}(?:\\s*;\\s*${token}=(?:${token}|"[\\w !#-\\[\\]-~]*"))*$`);
const longestType = 200;
const unknownType = 'application/octet-stream';

/** By media type: the end of a file name. Files that run or render something when they are opened get none. */
const extensions: Readonly<Record<string, string>> = {
  'application/dicom': '.dcm',
  'application/json': '.json',
  'application/pdf': '.pdf',
  'application/rtf': '.rtf',
  'application/xml': '.xml',
  'application/zip': '.zip',
  'audio/mpeg': '.mp3',
  'image/gif': '.gif',
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/tiff': '.tif',
  'image/webp': '.webp',
  'text/csv': '.csv',
  'text/plain': '.txt',
  'text/rtf': '.rtf',
  'text/xml': '.xml',
  'video/mp4': '.mp4',
};

/** The type in which content goes out: the stored one, or that of unknown bytes if it is not a media type. */
export function contentTypeOf(stored: unknown): string {
  const text = typeof stored === 'string' ? stored.trim() : '';
  return isMediaType(text) ? text : unknownType;
}

/** True for a media type, with its parameters. */
export function isMediaType(text: string): boolean {
  return text.length <= longestType && mediaType.test(text.trim());
}

/**
 * The headers for content that an app or a patient may have written: a browser that opens it at our origin must save
 * it, and run nothing of it. `contentType` is one of {@link contentTypeOf}, `id` a logical id.
 */
export function contentHeaders(id: string, contentType: string): Record<string, string> {
  const extension = extensions[contentType.replace(/;.*/s, '').trim().toLowerCase()] ?? '';
  return {
    'Content-Type': contentType,
    'Content-Disposition': `attachment; filename="document-${id.replaceAll('.', '-')}${extension}"`,
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'X-Content-Type-Options': 'nosniff',
  };
}
