/** Part of a launch that an entry belongs to. */
export type Stage = 'request' | 'scopes' | 'person' | 'token' | 'gateway' | 'end';

/**
 * `step`: went well; `notice`: changed what the app gets, and the launch continued; `left`: the launch was not
 * continued, which is found when the launch is read; `ended`: what the launch gave was taken back; the others end the
 * launch.
 */
export type Severity = 'step' | 'notice' | 'refused' | 'failed' | 'declined' | 'left' | 'ended';

/** The setting or the configuration key that decided, and the change of it that lets the launch pass. */
export interface Change {
  text: string;
  /** Member of the client's form, whose field the link opens; or the detail that names it, which may be empty. */
  field?: string;
  /** Key of the configuration, such as `fhir.server`; or the detail that names it. */
  configuration?: string;
  /** `user`: the panel of the launch's user has what is to be changed; or the detail that names it. */
  page?: string;
}

/**
 * A kind of event in a launch. In every text `{{name}}` stands for a member of the entry's detail; these names are all
 * that an entry may keep. Never a secret, code, token, password, search value or the value of a launch parameter.
 */
export interface Cause {
  stage: Stage;
  severity: Severity;
  /** Line of the timeline: 'The app asked to start'. */
  title: string;
  /** The line below it, with the values. */
  text?: string;
  /** The reason in one clause, as lists show it: 'The client secret has expired'. Every refusal has one. */
  decidedBy?: string;
  /** The same for the app's developer: without names and health data. */
  developer?: string;
  change?: Change;
  /** Details that make entries of one launch different; otherwise a second entry of the same code only counts. */
  apart?: readonly string[];
}

export type Detail = Readonly<Record<string, string | number>>;

/** The texts of an entry, filled in. */
export function describeEntry(
  cause: Cause,
  detail: Detail = {},
): Pick<Cause, 'title' | 'text' | 'decidedBy' | 'developer' | 'change'> {
  const filled = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(detail[name] ?? ''));
  const { title, text, decidedBy, developer, change } = cause;
  return {
    title: filled(title),
    ...(text !== undefined && { text: filled(text) }),
    ...(decidedBy !== undefined && { decidedBy: filled(decidedBy) }),
    ...(developer !== undefined && { developer: filled(developer) }),
    // An entry of an earlier version may lack the values that the text is made of.
    ...(change && filled(change.text) !== '' && { change: filledChange(change, filled) }),
  };
}

function filledChange({ text, ...places }: Change, filled: (text: string) => string): Change {
  const known = Object.entries(places).map(([name, place]) => [name, filled(place)]);
  return { text: filled(text), ...Object.fromEntries(known.filter(([, place]) => place !== '')) };
}

const date = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });
const time = new Intl.DateTimeFormat('en-US', { timeStyle: 'medium', timeZone: 'UTC' });

/** `November 22, 2026, 10:42:31 AM UTC`, with plain spaces. Some versions of Node put a narrow one before AM. */
export function inUtc(at: Date): string {
  return `${date.format(at)}, ${time.format(at)} UTC`.split(/\s/).join(' ');
}
