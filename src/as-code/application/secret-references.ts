import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import process from 'node:process';

const largestFile = 64 * 1024;

/** A value that a file names: `env:NAME` or `file:PATH`, which is relative to the folder of that file. Neither is ever printed. */
export type Referenced = { value: string } | { problem: string };

/** Undefined for a text that is no reference. */
export function referenced(text: string, file: string): Referenced | undefined {
  const [, kind, name = ''] = /^(env|file):(.*)$/s.exec(text) ?? [];
  if (kind === 'env') return variable(name);
  return kind === 'file' ? content(name, resolve(dirname(file), name)) : undefined;
}

function variable(name: string): Referenced {
  const value = process.env[name];
  return value === undefined ? { problem: `The environment variable ${name} is not set.` } : { value: value.trim() };
}

function content(name: string, path: string): Referenced {
  try {
    const found = statSync(path);
    if (!found.isFile() || found.size > largestFile) return { problem: `${name} is no file with a secret.` };
    return { value: readFileSync(path, 'utf8').trim() };
  } catch {
    return { problem: `The file ${name} cannot be read.` };
  }
}
