/**
 * Content as the resource that stands for it, piece by piece as it arrives: `binary` has the other elements, and no
 * `data`. The content of no bytes has none either (FHIR R4 Binary.data).
 */
export async function* wrapped(content: AsyncIterable<Buffer>, binary: object): AsyncGenerator<Buffer> {
  const head = JSON.stringify(binary).slice(0, -1);
  let rest: Buffer = Buffer.alloc(0);
  let begun = '';
  for await (const piece of content) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, piece]) : piece;
    const whole = bytes.length - (bytes.length % 3);
    rest = bytes.subarray(whole);
    if (whole === 0) continue;
    yield Buffer.from((begun === '' ? `${head},"data":"` : '') + bytes.subarray(0, whole).toString('base64'));
    begun = '"';
  }
  const last = rest.toString('base64');
  if (begun === '') yield Buffer.from(last === '' ? `${head}}` : `${head},"data":"${last}"}`);
  else yield Buffer.from(`${last}"}`);
}
