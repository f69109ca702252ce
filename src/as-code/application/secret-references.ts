import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import process from 'node:process';

const kilobyte = 1024;
const largestFile = 64 * kilobyte;

/**
 * A value that a file names: `env:NAME` or `file:PATH`, which is relative to the folder of that file. Neither is ever
 * printed.
 */
export type Referenced = { value: string } | { problem: string };

/** Undefined for a text that is not a reference. */
export function referenced(text: string, file: string): Referenced | undefined {
  const [, kind, name = ''] = /^(env|file):(.*)$/s.exec(text) ?? [];
  if (kind === 'env') return variable(name);
  return kind === 'file' ? content(name, resolve(dirname(file), name)) : undefined;
}

function variable(name: string): Referenced {
  if (name.trim() === '') return { problem: 'The name of the environment variable is missing after env:.' };
  // The environment also inherits the members of every object, such as `toString`.
  const value = Object.hasOwn(process.env, name) ? process.env[name]?.trim() : undefined;
  if (value === undefined) return { problem: `The environment variable ${name} is not set.` };
  return value === '' ? { problem: `The environment variable ${name} is empty.` } : { value };
}

function content(name: string, path: string): Referenced {
  if (name.trim() === '') return { problem: 'The path of the file is missing after file:.' };
  try {
    const found = statSync(path);
    if (found.isDirectory()) return { problem: `${name} is a folder, not a file with a secret.` };
    if (!found.isFile()) return { problem: `${name} is not a file.` };
    if (found.size > largestFile) {
      return { problem: `The file ${name} is larger than ${largestFile / kilobyte} KB, and cannot be a secret.` };
    }
    const value = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)).trim();
    return value === '' ? { problem: `The file ${name} is empty.` } : { value };
  } catch (error) {
    return { problem: reasonOf(name, error as NodeJS.ErrnoException) };
  }
}

/** The message of the system would repeat the whole path. */
function reasonOf(name: string, { code }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return `The file ${name} does not exist.`;
    case 'EACCES':
      return `The file ${name} cannot be read: this user has no permission.`;
    case 'ERR_ENCODING_INVALID_ENCODED_DATA':
      return `The file ${name} is not UTF-8.`;
    default:
      return `The file ${name} cannot be read${code ? ` (${code})` : ''}.`;
  }
}
