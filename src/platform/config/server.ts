import { isIP } from 'node:net';
import { z } from 'zod';
import { url } from './url.js';

export const mostWorkers = 64;

export const server = z.strictObject({
  issuer: url('such as https://login.hospital.example')
    .refine((text) => !/[?#]/.test(text), 'must have no query and no fragment')
    .refine(
      (text) => /^https?:\/\/[^/]+(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*\/?$/i.test(text),
      'must have a path of letters, digits, dots and dashes, or none',
    )
    .transform((text) => text.replace(/\/$/, ''))
    .default('http://localhost:3000')
    .describe(
      'The address at which browsers and apps reach the portal; also the OpenID issuer. It may have a path (https://hospital.example/auth), which the proxy must not remove. With another `server.port`, the default has that port.',
    ),
  host: z.string().default('127.0.0.1').describe('The network address to listen on.'),
  port: z.coerce.number().int().min(0).max(65_535).default(3000).describe('The port to listen on.'),
  workers: z
    .union([z.literal('auto'), z.coerce.number().int().min(1).max(mostWorkers)], {
      error: `must be a whole number from 1 to ${mostWorkers}, or auto`,
    })
    .default(1)
    .describe(
      'Processes that serve the port together. Each is a node, with `database.poolSize` connections of its own; `auto` starts one for each CPU core.',
    ),
  management: z
    .strictObject({
      host: z
        .string()
        .default('127.0.0.1')
        .describe('Its network address; 0.0.0.0 for all, so that a Prometheus on another machine reaches it.'),
      port: z.coerce.number().int().min(1).max(65_535).default(9464).describe('Its port.'),
    })
    .optional()
    .describe(
      'A second address for operators: `/metrics` and `/health/…`, without a sign-in and without TLS. Only the monitoring system and the load balancer may be able to reach it.',
    ),
  trustedProxies: z
    .array(z.string().refine((text) => isIP(text.split('/')[0] ?? '') !== 0, 'must be an IP address or a CIDR range'))
    .default([])
    .describe('Reverse proxies whose X-Forwarded-For header is trusted.'),
  stopDelay: z.coerce
    .number()
    .int()
    .min(0)
    .max(60)
    .default(0)
    .describe(
      'Seconds between the signal to stop and the end of accepting connections. Meanwhile `/health/ready` answers 503, so that the load balancer uses the other nodes.',
    ),
});
