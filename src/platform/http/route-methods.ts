import type { Application, NextFunction, Request, Response } from 'express';
import { message } from '../../contract/messages/message.js';
import { Problem } from '../errors.js';

/** Express's record of a route; its types do not have `match`. */
interface Layer {
  route?: { path: string; methods: Record<string, boolean> };
  match(path: string): boolean;
}

/**
 * Middleware before the routes: an address without parameters (`/client/impact`) has its own methods only. Otherwise a
 * route with parameters (`PUT /client/:id`) would take requests with other methods, and say what is wrong with their
 * bodies.
 */
export function onlyOwnMethods(web: Application) {
  let known: Map<string, string[]> | undefined;
  return ({ method, baseUrl, path }: Request, response: Response, next: NextFunction) => {
    known ??= fixedAddresses(web);
    const methods = known.get(baseUrl + path);
    const isKnown = !methods || methods.includes(method) || (method === 'HEAD' && methods.includes('GET'));
    next(isKnown ? undefined : unknownMethod(methods, response));
  };
}

/**
 * The refusal of a request to an address whose routes have other methods (RFC 9110 §15.5.6); undefined where there is
 * no route.
 */
export function methodRefusal({ app, path }: Request, response: Response): Problem | undefined {
  const methods = methodsOf(routesOfApi(app).filter((layer) => layer.match(path)));
  return methods.length > 0 ? unknownMethod(methods, response) : undefined;
}

function fixedAddresses(web: Application): Map<string, string[]> {
  const routes = routesOfApi(web);
  const paths = routes.flatMap(({ route }) => (route && !route.path.includes(':') ? [route.path] : []));
  return new Map(paths.map((path) => [path, methodsOf(routes.filter(({ route }) => route?.path === path))]));
}

const routesOfApi = ({ router }: Application) =>
  (router.stack as unknown as Layer[]).filter(({ route }) => route?.path.startsWith('/api/'));

const methodsOf = (routes: Layer[]) =>
  [...new Set(routes.flatMap(({ route }) => Object.keys(route?.methods ?? {})))].map((one) => one.toUpperCase()).sort();

function unknownMethod(allowed: string[], response: Response): Problem {
  const methods = allowed.join(', ');
  response.setHeader('Allow', methods);
  return new Problem('method-not-allowed', message('method-unknown', { methods }));
}
