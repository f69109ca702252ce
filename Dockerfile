# Gatehouse in a container. Give it DATABASE_URL and GATEHOUSE_KEYS__MASTER_KEY_FILE for a PostgreSQL of your own, or mount a
# volume at /data and it keeps one there. Configuration: mount a gatehouse.yaml at /app, or use GATEHOUSE_… variables.

FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY demo/package.json demo/
COPY kit/package.json kit/

FROM packages AS build
RUN npm ci --no-audit --no-fund
COPY nest-cli.json .swcrc tsconfig.json ./
COPY scripts/build.mjs scripts/bundle-server.mjs scripts/openapi.mjs scripts/prepare.mjs scripts/typescript.mjs scripts/
COPY scripts/bundle-server scripts/bundle-server
COPY scripts/openapi scripts/openapi
COPY src src
COPY migrations migrations
COPY client client
RUN node scripts/build.mjs

# What runs: no development packages and no demo. Without the lists of both, npm installs neither what the demo needs (100 MB) nor what
# others would use if it were there (TypeScript). The command of a clone, which `package.json` names, builds first; in the image
# `npx gatehouse` finds this one.
FROM packages AS runtime-packages
RUN npm pkg delete bin workspaces devDependencies \
    && npm ci --omit=dev --no-audit --no-fund \
    && printf '#!/bin/sh\nexec node /app/dist/src/cli.js "$@"\n' > node_modules/.bin/gatehouse \
    && chmod 755 node_modules/.bin/gatehouse

FROM node:24-bookworm-slim
ENV NODE_ENV=production \
    MALLOC_TRIM_THRESHOLD_=131072 \
    NPM_CONFIG_UPDATE_NOTIFIER=false \
    GATEHOUSE_DATA_DIR=/data \
    GATEHOUSE_SERVER__HOST=0.0.0.0 \
    GATEHOUSE_SERVER__PORT=3000
WORKDIR /app
COPY releases.json ./
COPY --from=runtime-packages /app/package.json ./
COPY --from=runtime-packages /app/node_modules node_modules
COPY --from=build /app/dist dist
RUN mkdir --mode=700 /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.GATEHOUSE_SERVER__PORT}/health/live`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=32", "dist/src/main.js"]
