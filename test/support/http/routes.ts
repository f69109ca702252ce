import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { type Access, accessMetadata } from '../../../src/platform/http/access.js';
import type { TestPortal } from '../portal/portal.js';

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  access: Access | undefined;
  /** The classes that validate its body and its query. */
  body: object | undefined;
  query: object | undefined;
}

/** Nest's numbers for the parameters of a handler. */
const kinds = { body: 3, query: 4 };

/** Every route of every controller, by Nest's metadata. */
export function routesOf({ apps: [app] }: TestPortal): Route[] {
  const scanner = new MetadataScanner();
  const modules = [...(app?.get(ModulesContainer, { strict: false }).values() ?? [])];
  return modules.flatMap(({ controllers }) =>
    [...controllers.values()].flatMap(({ metatype }) => {
      if (typeof metatype !== 'function') return [];
      const prototype = metatype.prototype as Record<string, object>;
      const bases = [Reflect.getMetadata(PATH_METADATA, metatype)].flat();
      return scanner.getAllMethodNames(prototype).flatMap((name) => {
        const handler = prototype[name];
        const paths: string[] | undefined =
          handler && [Reflect.getMetadata(PATH_METADATA, handler)].flat().filter((path) => path !== undefined);
        if (!handler || !paths) return [];
        const verb = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler)] as Route['method'] | 'ALL';
        // A handler of every method is tried by one.
        const method = verb === 'ALL' ? 'GET' : verb;
        const access: Access | undefined =
          Reflect.getMetadata(accessMetadata, handler) ?? Reflect.getMetadata(accessMetadata, metatype);
        const types: object[] = Reflect.getMetadata('design:paramtypes', prototype, name) ?? [];
        const parameters: Record<string, { index: number; data?: unknown }> =
          Reflect.getMetadata(ROUTE_ARGS_METADATA, metatype, name) ?? {};
        const typeOf = (kind: number) => {
          const [, whole] = Object.entries(parameters).find(
            ([key, { data }]) => key.startsWith(`${kind}:`) && data === undefined,
          ) ?? [undefined, undefined];
          return whole && types[whole.index];
        };
        const checked = { body: typeOf(kinds.body), query: typeOf(kinds.query) };
        return bases.flatMap((base) => paths.map((path) => ({ method, path: `/${base}/${path}`, access, ...checked })));
      });
    }),
  );
}

/** An address of the route; `part` returns the value of a parameter. */
export function addressOf({ path }: Pick<Route, 'path'>, part: () => string): string {
  return path
    .replace(/\/+/g, '/')
    .replace(/(.)\/$/, '$1')
    .replace(/:(\w+)/g, () => part())
    .replace('{*path}', 'some/page');
}
