/** The sources of the controllers and of the contract, as TypeScript's compiler reads them. */
import { readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';
import { root } from '../prepare.mjs';

const contract = join(root, 'src/contract/');

const options = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
  strict: true,
  noEmit: true,
  experimentalDecorators: true,
};

/**
 * The files of all controllers and of the contract, and the checker of their types. Imports are followed into the
 * contract, and into the package by which its classes are derived from each other: the rest of the portal says nothing
 * about requests and answers.
 */
export function readSources() {
  const controllers = readdirSync(join(root, 'src'), { recursive: true })
    .filter((file) => file.endsWith('.controller.ts'))
    .map((file) => join(root, 'src', file))
    .sort();
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) => {
      const isDerivation = text === '@nestjs/mapped-types' || from.includes('/node_modules/');
      const isOfContract = text.startsWith('.') && resolve(dirname(from), text).startsWith(contract);
      if (!isDerivation && !isOfContract) return { resolvedModule: undefined };
      return ts.resolveModuleName(text, from, options, host, undefined, undefined, ts.ModuleKind.ESNext);
    });
  const contractFiles = readdirSync(contract, { recursive: true })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => join(contract, file))
    .sort();
  const program = ts.createProgram([...controllers, ...contractFiles], options, host);
  return {
    checker: program.getTypeChecker(),
    controllers: controllers.map((file) => program.getSourceFile(file)),
    contract: contractFiles.map((file) => program.getSourceFile(file)),
  };
}

/** The text of a comment before the declaration, and its tags. */
export function commentOf(node) {
  const comment = ts.getJSDocCommentsAndTags(node).findLast((one) => ts.isJSDoc(one));
  const tags = (comment?.tags ?? []).map(({ tagName, comment: text }) => ({
    name: tagName.text,
    text: ts.getTextOfJSDocComment(text) ?? '',
  }));
  return { text: plain(ts.getTextOfJSDocComment(comment?.comment)), tags };
}

/** One line per paragraph; a link is its name, and sections of the specification are named in the sources only. */
function plain(text = '') {
  return text
    .replace(/\{@link\s+(\w+)\s*\}/g, '`$1`')
    .replace(/\s*\(`(?:spec|design) §[^)]*\)|`(?:spec|design) §[^`]*` /g, '')
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replace(/\s*\n\s*/g, ' ').trim())
    .join('\n\n')
    .trim();
}
