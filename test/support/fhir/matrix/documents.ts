import type { App, AppRequest } from './app.js';
import { to } from './changes.js';
import type { View } from './view.js';

/** The content of the document of a patient, or the resource. */
async function opened(app: App, id: string, accept: string | undefined): Promise<string> {
  const response = await app.fetch(`/Binary/${id}`, { headers: accept === undefined ? {} : { accept } });
  const { status, headers } = response;
  const text = await app.checkedText(response);
  if (!response.ok) return String(status);
  const type = headers.get('content-type')?.replace(/;.*/, '');
  if (type === 'application/fhir+json')
    return `${status} ${(JSON.parse(text) as { resourceType: string }).resourceType}`;
  const isSafe = headers.get('x-content-type-options') === 'nosniff' && headers.has('content-security-policy');
  return `${status} ${type} ${text}${isSafe ? '' : ' !open'}`;
}

/** A token that may read resources which link documents opens these; others take a scope for Binary. */
function isOpen({ kind, isLimited }: View, of: string): string | undefined {
  if (kind === 'categories' || kind === 'service') return '403';
  return isLimited && of === 'b' ? '404' : undefined;
}

function document(name: string, of: string, accept: string | undefined, isContent: boolean): AppRequest {
  return {
    name: `a document, ${name}`,
    ask: (app) => opened(app, `${of}-bin`, accept),
    expected: (view) => isOpen(view, of) ?? (isContent ? `200 application/pdf %PDF-1.4 of ${of}` : '200 Binary'),
  };
}

const pdf = Buffer.from('%PDF-1.4').toString('base64');

export const documents: readonly AppRequest[] = [
  document('as PDF', 'a', 'application/pdf', true),
  document('as anything', 'a', '*/*', true),
  document('as a page of a browser wants it', 'a', 'image/png,image/*;q=0.8,*/*;q=0.5', true),
  document('as FHIR', 'a', 'application/fhir+json', false),
  document('as JSON', 'a', 'application/json', false),
  document('of another patient', 'b', 'application/pdf', true),
  document('of another patient, as FHIR', 'b', 'application/fhir+json', false),
  {
    name: 'a document as a picture',
    ask: (app) => opened(app, 'a-bin', 'image/png'),
    expected: (view) => isOpen(view, 'a') ?? '406',
  },
  {
    name: 'a document by its link',
    async ask(app) {
      const response = await app.fetch('/DocumentReference/a-doc');
      const { content = [] } = JSON.parse(await app.checkedText(response)) as {
        content?: { attachment: { url: string } }[];
      };
      const [{ attachment } = { attachment: { url: '' } }] = content;
      return response.ok ? opened(app, attachment.url.replace(/.*Binary\//, ''), '*/*') : String(response.status);
    },
    expected: (view) => isOpen(view, 'a') ?? '200 application/pdf %PDF-1.4 of a',
  },
  {
    name: 'a new document in its own type',
    ask: (app) =>
      app.changed(() =>
        app.send('POST', '/Binary', '%PDF-1.4', {
          'content-type': 'application/pdf',
          'x-security-context': 'Patient/a',
        }),
      ),
    expected: (view) => (view.may('Binary', 'c') ? '201 Binary/new-1 +Binary/new-1' : '403'),
  },
  ...['a', 'b'].map(
    (of): AppRequest => ({
      name: `a new document of patient ${of}`,
      ask: (app) =>
        app.changed(() =>
          app.send('POST', '/Binary', {
            resourceType: 'Binary',
            contentType: 'application/pdf',
            securityContext: to(`Patient/${of}`),
            data: pdf,
          }),
        ),
      expected: (view) =>
        view.may('Binary', 'c') && !(view.isLimited && of === 'b') ? '201 Binary/new-1 +Binary/new-1' : '403',
    }),
  ),
  ...['a', 'b'].map(
    (of): AppRequest => ({
      name: `a document of patient ${of}, linked`,
      ask: (app) =>
        app.changed(() =>
          app.send('POST', '/DocumentReference', {
            resourceType: 'DocumentReference',
            status: 'current',
            subject: to('Patient/a'),
            content: [{ attachment: { url: `Binary/${of}-bin` } }],
          }),
        ),
      expected: (view) =>
        view.may('DocumentReference', 'c') && !(view.isLimited && of === 'b')
          ? '201 DocumentReference/new-1 +DocumentReference/new-1'
          : '403',
    }),
  ),
];
