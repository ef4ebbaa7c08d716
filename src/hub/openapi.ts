/** The OpenAPI document of the hub, from the same tables that its routes are made of. */
import { z } from 'zod';
import { HUB_ROUTES, type HubRoute, type RouteName } from '../contract/page.js';
import { HubSchemas } from '../contract/schemas.js';

type OpenapiPart = Record<string, unknown>;

const schema = (of: z.ZodType, io: 'input' | 'output'): OpenapiPart => {
  const { $schema: _, ...rest } = z.toJSONSchema(of, { io, unrepresentable: 'any' }) as OpenapiPart;
  return rest;
};

export function openapi(version: string): OpenapiPart {
  const paths: Record<string, OpenapiPart> = {};
  for (const name of Object.keys(HUB_ROUTES) as RouteName[]) {
    const route: HubRoute = HUB_ROUTES[name];
    const path = route.path.replace(':id', '{id}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(name, route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Reins hub',
      version,
      description:
        'Asked with the cookie of a device that was let in. Whatever changes something must carry an `Origin` that is the hub’s own.',
    },
    paths,
    components: {
      securitySchemes: {
        device: { type: 'apiKey', in: 'cookie', name: 'reins-…', description: 'set by POST /api/pair' },
      },
      schemas: { Error: schema(ErrorBody, 'output') },
    },
  };
}

const ErrorBody = z.object({ error: z.object({ code: z.string(), message: z.string(), hint: z.string() }) });

function operation(name: RouteName, route: HubRoute): OpenapiPart {
  const { args, result, says } = HubSchemas[name];
  const inPath = route.path.includes(':id')
    ? [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }]
    : [];
  const { properties = {}, required = [] } = schema(args, 'input') as { properties?: OpenapiPart; required?: string[] };
  const inQuery = Object.entries(properties).map(([key, of]) => ({
    name: key,
    in: 'query',
    required: required.includes(key),
    schema: of,
  }));
  const json = (of: unknown) => ({ content: { 'application/json': { schema: of } } });
  return {
    operationId: name,
    summary: says,
    'x-right': route.right,
    security: route.right === 'none' ? [] : [{ device: [] }],
    parameters: route.method === 'GET' ? [...inPath, ...inQuery] : inPath,
    ...(route.method === 'POST' ? { requestBody: { required: true, ...json(schema(args, 'input')) } } : {}),
    responses: {
      200: { description: says, ...json(schema(result as z.ZodType, 'output')) },
      default: { description: 'an error', ...json({ $ref: '#/components/schemas/Error' }) },
    },
  };
}
