// @ts-check
import { normalizeOperationOutcome, OperationOutcomeError, validateResource } from '@medplum/core';
import express from 'express';
import { capabilityStatement } from './capability-statement.js';
import { isServed } from './definitions.js';
import { FhirError } from './fhir-error.js';
import { lastObservations, patientEverything } from './operations.js';
import { ask, find, history, search } from './search.js';
import { readSearch } from './search-request.js';
import { isUnchanged, namesVersion, setVersionHeaders } from './versions.js';

/**
 * @import { NextFunction, Request, RequestHandler, Response, Router } from 'express'
 * @import { Resource } from '@medplum/fhirtypes'
 * @import { ServedType } from './definitions.js'
 * @import { Engine } from './search.js'
 */

const JSON_TYPES = ['application/fhir+json', 'application/json'];
const FORMATS = [...JSON_TYPES, 'json'];

/**
 * The REST interactions of FHIR R4 §3.1.0 that this server offers.
 *
 * @param {Engine} engine
 * @returns {Router}
 */
export function fhirRoutes(engine) {
  const router = express.Router({ caseSensitive: true });
  const statement = capabilityStatement(engine.baseUrl);
  router.use(requireJsonAnswer);
  router.get('/metadata', (_req, res) => send(res, 200, statement));
  router.get('/Observation/$lastn', async (req, res) => {
    const query = queryOf(req);
    const max = query.find(([key]) => key === 'max')?.[1] ?? '1';
    if (!/^[1-9]\d{0,3}$/.test(max)) {
      throw new FhirError(400, 'invalid', 'max must be a positive whole number');
    }
    const request = readSearch(
      'Observation',
      query.filter(([key]) => key !== 'max'),
      readingOf(req, engine),
    );
    send(res, 200, await lastObservations(engine, request, Number(max)));
  });
  router.get('/Patient/:id/$everything', async (req, res) => {
    send(res, 200, await patientEverything(engine, idOf(req)));
  });

  const answerSearch = /** @type {RequestHandler} */ (
    async (req, res) =>
      send(res, 200, await search(engine, readSearch(typeOf(req), queryOf(req), readingOf(req, engine))))
  );
  router.post('/:type/_search', requireBody('application/x-www-form-urlencoded'), answerSearch);
  router
    .route('/:type')
    .get(answerSearch)
    .post(requireBody(...JSON_TYPES), create(engine))
    .all(refuseMethod('GET, POST'));
  router.get('/:type/:id/_history', async (req, res) => {
    send(res, 200, await history(engine, typeOf(req), idOf(req)));
  });
  router.get('/:type/:id/_history/:version', async (req, res) => {
    const path = `${typeOf(req)}/${idOf(req)}/_history/${identifier(req.params.version)}`;
    sendVersion(res, 200, await ask(engine, 'GET', path));
  });
  router
    .route('/:type/:id')
    .get(read(engine))
    .put(requireBody(...JSON_TYPES), update(engine))
    .delete(async (req, res) => {
      await ask(engine, 'DELETE', `${typeOf(req)}/${idOf(req)}`);
      res.status(204).end();
    })
    .all(refuseMethod('GET, PUT, DELETE'));
  router.use((req) => {
    throw new FhirError(404, 'not-found', `Nothing is served at ${req.path}`);
  });
  return router;
}

/**
 * @param {Request} req
 * @param {Response} _res
 * @param {NextFunction} next
 */
function requireJsonAnswer(req, _res, next) {
  const format = new URL(req.originalUrl, 'http://localhost').searchParams.get('_format');
  // A client that does not encode the plus sign of `application/fhir+json` sends a space.
  const understood = format === null ? req.accepts(JSON_TYPES) : FORMATS.includes(format.replace(' ', '+'));
  if (!understood) {
    throw new FhirError(406, 'not-supported', 'This server answers in application/fhir+json only');
  }
  next();
}

/**
 * @param {string[]} types
 * @returns {RequestHandler}
 */
function requireBody(...types) {
  const readText = express.text({ type: () => true, limit: '1mb' });
  return (req, res, next) => {
    if (!req.is(types)) {
      throw new FhirError(415, 'not-supported', `The body must be ${types.join(' or ')}`);
    }
    readText(req, res, next);
  };
}

/**
 * @param {string} allow
 * @returns {RequestHandler}
 */
function refuseMethod(allow) {
  return (req, res) => {
    res.set('Allow', allow);
    throw new FhirError(405, 'not-supported', `${req.method} is not supported here`);
  };
}

/**
 * @param {Engine} engine
 * @returns {RequestHandler}
 */
function read(engine) {
  return async (req, res) => {
    const resource = /** @type {Resource} */ (await ask(engine, 'GET', `${typeOf(req)}/${idOf(req)}`));
    if (isUnchanged(req, resource)) {
      setVersionHeaders(res, resource);
      res.status(304).end();
    } else {
      sendVersion(res, 200, resource);
    }
  };
}

/**
 * @param {Engine} engine
 * @returns {RequestHandler}
 */
function create(engine) {
  return async (req, res) => {
    if (req.get('if-none-exist') !== undefined) {
      throw new FhirError(400, 'not-supported', 'Conditional create is not supported');
    }
    const type = typeOf(req);
    // The server chooses the id of a new resource, whatever the body says (FHIR R4 §3.1.0.8).
    const { id: _id, ...resource } = readResource(req, type);
    const created = await ask(engine, 'POST', type, withoutVersion(/** @type {Resource} */ (resource)));
    sendCreated(res, engine, created);
  };
}

/**
 * @param {Engine} engine
 * @returns {RequestHandler}
 */
function update(engine) {
  return async (req, res) => {
    const type = typeOf(req);
    const id = idOf(req);
    const resource = readResource(req, type);
    const [current] = (await find(engine, type, [['_id', id]])).resources;
    const ifMatch = req.get('if-match');
    if (ifMatch !== undefined && !(current && namesVersion(ifMatch, current))) {
      throw new FhirError(412, 'conflict', `${type}/${id} is not at the version named by If-Match`);
    }
    const updated = await ask(engine, 'PUT', `${type}/${id}`, withoutVersion(resource));
    if (current) {
      sendVersion(res, 200, updated);
    } else {
      sendCreated(res, engine, updated);
    }
  };
}

/**
 * @param {Request} req
 * @param {ServedType} type
 * @returns {Resource}
 */
function readResource(req, type) {
  /** @type {Resource} */
  let resource;
  try {
    resource = JSON.parse(req.body);
  } catch {
    throw new FhirError(400, 'structure', 'The body is not JSON');
  }
  if (resource?.resourceType !== type) {
    throw new FhirError(400, 'invalid', `The body must be a ${type}`);
  }
  try {
    validateResource(resource);
  } catch (error) {
    throw new OperationOutcomeError(normalizeOperationOutcome(error));
  }
  return resource;
}

/**
 * @param {Resource} resource
 * @returns {Resource}
 */
function withoutVersion(resource) {
  const { versionId: _versionId, lastUpdated: _lastUpdated, ...meta } = resource.meta ?? {};
  return { ...resource, meta };
}

/**
 * @param {Request} req
 * @returns {ServedType}
 */
function typeOf(req) {
  const type = String(req.params.type);
  if (!isServed(type)) {
    throw new FhirError(404, 'not-supported', `Resource type not served: ${type}`);
  }
  return type;
}

/** @param {Request} req */
const idOf = (req) => identifier(req.params.id);

/** @param {unknown} value */
function identifier(value) {
  if (typeof value !== 'string' || !/^[A-Za-z0-9\-.]{1,64}$/.test(value)) {
    throw new FhirError(400, 'value', 'Not a FHIR id');
  }
  return value;
}

/**
 * The search parameters of the URL and, for `_search`, of the body.
 *
 * @param {Request} req
 * @returns {[string, string][]}
 */
function queryOf(req) {
  const form = typeof req.body === 'string' ? req.body : '';
  return [...new URL(req.originalUrl, 'http://localhost').searchParams, ...new URLSearchParams(form)];
}

/**
 * @param {Request} req
 * @param {Engine} engine
 */
function readingOf(req, { baseUrl }) {
  return { strict: /(^|[,;\s])handling=strict\b/.test(req.get('prefer') ?? ''), baseUrl };
}

/**
 * @param {Response} res
 * @param {Engine} engine
 * @param {Resource | undefined} resource
 */
function sendCreated(res, { baseUrl }, resource) {
  const { resourceType, id, meta } = /** @type {Resource} */ (resource);
  res.set('Location', `${baseUrl}/${resourceType}/${id}/_history/${meta?.versionId}`);
  sendVersion(res, 201, resource);
}

/**
 * @param {Response} res
 * @param {number} status
 * @param {Resource | undefined} resource
 */
function sendVersion(res, status, resource) {
  setVersionHeaders(res, /** @type {Resource} */ (resource));
  send(res, status, resource);
}

/**
 * @param {Response} res
 * @param {number} status
 * @param {Resource | undefined} body
 */
export function send(res, status, body) {
  res.status(status).type('application/fhir+json').send(JSON.stringify(body));
}
