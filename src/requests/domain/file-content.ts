/** Media types that a request may have, each by the bytes that its files begin with. */
const types = [
  { mediaType: 'application/pdf', begins: [0x25, 0x50, 0x44, 0x46, 0x2d] },
  { mediaType: 'image/jpeg', begins: [0xff, 0xd8, 0xff] },
  { mediaType: 'image/png', begins: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
] as const;

export type FileType = (typeof types)[number]['mediaType'];

/** The media type by the content; undefined for any other file, whatever its name says. */
export function typeOfContent(content: Uint8Array): FileType | undefined {
  return types.find(({ begins }) => begins.every((byte, index) => content[index] === byte))?.mediaType;
}
