import { configSchema } from '../../../src/platform/config/config.js';

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(20)]);
const jpeg = Buffer.from('ffd8ffe000104a464946', 'hex');
const ico = Buffer.from('000001000100', 'hex');
const webp = Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1');
const svg = (inside = '<path d="M0 0"/>') => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`);

const problemOf = (mimeType: string, content: Buffer): string | undefined =>
  configSchema.shape.branding.safeParse({ favicon: { mimeType, base64: content.toString('base64') } }).error?.issues[0]
    ?.message;

describe('A configured logo or favicon', () => {
  it.each([
    ['image/png', png],
    ['image/jpeg', jpeg],
    ['image/x-icon', ico],
    ['image/vnd.microsoft.icon', ico],
    ['image/webp', webp],
    ['image/svg+xml', svg()],
    ['image/svg+xml', Buffer.concat([Buffer.from('\ufeff<?xml version="1.0"?>\n<!-- drawn -->\n'), svg()])],
  ])('is accepted as a picture of type %s', (mimeType, content) => {
    expect(problemOf(mimeType, content)).toBeUndefined();
  });

  it.each([
    ['image/png', jpeg],
    ['image/jpeg', png],
    ['image/webp', ico],
    ['image/x-icon', svg()],
    ['image/svg+xml', Buffer.from('<html><svg></svg></html>')],
    ['image/png', Buffer.alloc(0)],
  ])('is refused when its content is not %s', (mimeType, content) => {
    expect(problemOf(mimeType, content)).toBe(`must be a picture of the type ${mimeType}`);
  });

  it.each(['<script>1</script>', '<a href="javascript:1"/>', '<g onload="1"/>', '<foreignObject/>'])(
    'is refused as a drawing with %s',
    (inside) => {
      expect(problemOf('image/svg+xml', svg(inside))).toBe('must be a drawing without scripts');
    },
  );

  it.each(['<!---->', '<!-- -- >', '<?xml?>', '<?xml', ' ', ' on', '<svg', '<!--'])(
    'is accepted or refused at once when it has nothing but %s',
    (piece) => {
      const begun = process.cpuUsage();
      problemOf('image/svg+xml', Buffer.from(piece.repeat(Math.floor(200_000 / piece.length))));
      problemOf('image/svg+xml', svg(piece.repeat(Math.floor(200_000 / piece.length))));
      expect(process.cpuUsage(begun).user).toBeLessThan(1_000_000);
    },
  );

  it('has at most 256 KB, and a type that browsers show', () => {
    expect(problemOf('image/png', Buffer.concat([png, Buffer.alloc(256 * 1024)]))).toBe(
      'must be a picture of at most 256 KB',
    );
    expect(problemOf('image/tiff', png)).toMatch(/^must be one of image\/png, /);
  });
});
