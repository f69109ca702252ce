import type { FetchBaseQueryError } from '@reduxjs/toolkit/query';
import type { MessageCode } from '../../../../src/contract/messages/message.js';
import type { ProblemBody, ProblemItem } from '../../../../src/contract/problem.js';
import { t } from '../../shared/i18n/i18n.js';
import { duration } from '../../shared/i18n/language.js';
import { translateAnswer } from '../../shared/i18n/messages.js';
import { notify } from '../../shared/notices.js';

/** The errors of a failed call for its form: next to the named fields, and for the form as a whole. */
export interface FormErrors<Field extends string> {
  fields: Partial<Record<Field, string[]>>;
  form: string[];
}

const textIn = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** The problems that a response names, in the language of the page. */
export function answeredProblems(error: unknown): ProblemItem[] {
  const { errors, codes } = bodyOf(error);
  const items = Array.isArray(errors) ? errors.filter((item) => Array.isArray(item?.messages)) : [];
  const remaining = [...(Array.isArray(codes) ? codes : [])];
  return items.map((item) => ({
    ...item,
    messages: item.messages.map((text) => translateAnswer(text, remaining.shift())),
  }));
}

function bodyOf(error: unknown): Partial<ProblemBody> {
  const { data } = (error ?? {}) as Partial<FetchBaseQueryError>;
  return data && typeof data === 'object' ? data : {};
}

/**
 * Form error extraction of `spec §8`: no response, 503, the list of messages, or the title or status message. Messages
 * that name one of `fields` are kept separately, to stand next to it.
 */
export function formErrors<Field extends string = never>(
  error: unknown,
  fields: readonly Field[] = [],
): FormErrors<Field> {
  const { status } = (error ?? {}) as Partial<FetchBaseQueryError>;
  const result: FormErrors<Field> = { fields: {}, form: [] };
  if (typeof status !== 'number') return { ...result, form: [t('errors.unexpected')] };

  const body = bodyOf(error);
  const { retryAfterSeconds } = body as { retryAfterSeconds?: number };
  if (status === 429 && retryAfterSeconds) {
    // Minutes are enough to plan with, and none is too few.
    const wait = retryAfterSeconds < 60 ? retryAfterSeconds : Math.ceil(retryAfterSeconds / 60) * 60;
    return { ...result, form: [t('errors.tooManyUntil', { duration: duration(wait) })] };
  }
  if (status === 503) {
    const text = textIn(body.message);
    return { ...result, form: [text ? translateAnswer(text, body.codes?.[0]) : t('errors.unavailable')] };
  }

  for (const { field, messages: texts } of answeredProblems(error)) {
    const known = fields.find((name) => name === field);
    if (known) result.fields[known] = [...(result.fields[known] ?? []), ...texts];
    else result.form.push(...texts);
  }
  if (result.form.length === 0 && Object.keys(result.fields).length === 0) {
    result.form.push(textIn(body.title) ?? textIn(body.statusMessage) ?? t('errors.unexpected'));
  }
  return result;
}

/** True if the subject of the call does not exist any more; a form has no error to show for that (`spec §8`). */
export function isGone(error: unknown): boolean {
  return (error as Partial<FetchBaseQueryError> | undefined)?.status === 404;
}

/** True if the server refused the call with this message. */
export function isRefusedFor(error: unknown, code: MessageCode): boolean {
  const { codes } = bodyOf(error);
  return Array.isArray(codes) && codes.some((one) => one?.code === code);
}

/** True if the failure has its own page (`spec §8`). */
function hasOwnPage(error: unknown): boolean {
  return (error as Partial<FetchBaseQueryError> | undefined)?.status === 500;
}

/** A failure that a page of its own tells (`spec §8`): the form that was left has nothing to add. */
export function hasPageOfItsOwn(error: unknown): boolean {
  return isGone(error) || hasOwnPage(error);
}

/** The session had ended: a change was not saved, although nothing is wrong with it. */
export function isSignedOut(error: unknown): boolean {
  return (error as Partial<FetchBaseQueryError> | undefined)?.status === 401;
}

/** Another change was saved first: the form was made of an older version. */
export function isOlderVersion(error: unknown): boolean {
  const { status, data } = (error ?? {}) as Partial<FetchBaseQueryError>;
  return status === 409 && (data as Partial<ProblemBody> | undefined)?.conflict !== undefined;
}

/** Shows the failure of an action that has no form, unless its own page shows it. */
export function notifyFailure(error: unknown, text: string = t('errors.generic')): void {
  for (const shown of failureText(error, text)) notify('error', shown);
}

/** The failure of an action in a dialog, to stand there; none without a failure, or if its own page shows it. */
export function failureText(error: unknown, text: string = t('errors.generic')): string[] {
  if (!error || hasOwnPage(error)) return [];
  return [isSignedOut(error) ? t('lostSession.notDone') : text];
}

/** The result of a call about one item of many; a failure is shown. */
export function reportOutcome({ error }: { error?: unknown }): 'done' | 'gone' | 'failed' {
  if (!error) return 'done';
  if (isGone(error)) return 'gone';
  notifyFailure(error);
  return 'failed';
}
