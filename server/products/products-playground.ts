import type { ProductSigns } from './product.ts'

/** API consoles that send requests, and embedded code playgrounds. */
export const playgroundProducts: readonly ProductSigns[] = [
  {
    name: 'Swagger UI',
    addresses: ['*/swagger-ui*.js', '*/swagger-ui*.css', '*/swagger-ui-dist*', '*/swagger-initializer.js'],
    inline: ['SwaggerUIBundle(', 'SwaggerUI(', 'SwaggerUIStandalonePreset'],
    elements: ['#swagger-ui', '.swagger-ui'],
  },
  {
    name: 'RapiDoc',
    addresses: ['*/rapidoc@*', '*/rapidoc/*', '*/rapidoc-min.js', '*/rapidoc.js'],
    elements: ['rapi-doc', 'rapi-doc-mini', 'rapi-request'],
  },
  {
    name: 'Stoplight Elements',
    addresses: ['*/@stoplight/elements*', '*.stoplight.io/*'],
    elements: ['elements-api', 'elements-stoplight-project', '.sl-elements-api', '.TryItPanel'],
  },
  {
    name: 'Scalar',
    addresses: ['*/@scalar/api-reference*', '*/@scalar/api-client*', '*.scalar.com/*'],
    inline: ['Scalar.createApiReference('],
    elements: ['script#api-reference', '.scalar-app', '.scalar-api-reference', '.scalar-api-client'],
  },
  {
    name: 'OpenAPI Explorer',
    addresses: ['*/openapi-explorer@*', '*/openapi-explorer/*'],
    elements: ['openapi-explorer'],
  },
  {
    name: 'Postman',
    addresses: ['run.pstmn.io/*', 'app.getpostman.com/*'],
    inline: ["_pm('", 'PostmanRunObject'],
    elements: ['.postman-run-button'],
  },
  {
    name: 'ReadMe API Explorer',
    elements: ['.rm-PlaygroundRequest', '.rm-TryIt', '.rm-APIResponseSchemaPicker'],
  },
  { name: 'Mintlify playground', elements: ['.tryit-button', '#api-playground-input', '#api-playground-modal'] },
  {
    name: 'OpenAPI docs explorer',
    elements: ['.openapi-explorer__request-form', '.openapi-explorer__request-btn'],
  },
  {
    name: 'GraphiQL',
    addresses: ['*/graphiql@*', '*/graphiql/*', '*/graphiql*.js', '*/graphiql*.css'],
    inline: ['GraphiQL.createFetcher(', 'createElement(GraphiQL'],
    elements: ['#graphiql', '.graphiql-container'],
  },
  {
    name: 'GraphQL Playground',
    addresses: ['*/graphql-playground*'],
    inline: ['GraphQLPlayground.init('],
    elements: ['.graphql-playground', '#graphql-playground'],
  },
  {
    name: 'Apollo Sandbox',
    addresses: [
      'embeddable-sandbox.cdn.apollographql.com/*',
      'embeddable-explorer.cdn.apollographql.com/*',
      'studio.apollographql.com/*',
    ],
    inline: ['EmbeddedSandbox(', 'EmbeddedExplorer('],
    elements: ['#embedded-sandbox', '#embeddableSandbox', '#embeddableExplorer'],
    parts: ['#sandbox', '#explorer'],
  },
  {
    name: 'RunKit',
    addresses: ['embed.runkit.com/*', 'runkit.com/*'],
    inline: ['RunKit.createNotebook('],
    elements: ['[data-runkit]', '.runkit-embed', '#runkit-element'],
  },
  { name: 'CodeSandbox', addresses: ['codesandbox.io/*', '*.codesandbox.io/*', '*.csb.app/*'] },
  {
    name: 'StackBlitz',
    addresses: ['stackblitz.com/*', '*.stackblitz.com/*', '*/@stackblitz/sdk*'],
    inline: ['StackBlitzSDK.'],
  },
  {
    name: 'CodePen',
    addresses: ['codepen.io/*', '*.codepen.io/*'],
    elements: ['.codepen[data-slug-hash]', '.codepen[data-prefill]', '.cp_embed_wrapper'],
  },
  { name: 'JSFiddle', addresses: ['jsfiddle.net/*'] },
  { name: 'JS Bin', addresses: ['jsbin.com/*', '*.jsbin.com/*'], elements: ['.jsbin-embed'] },
  { name: 'Replit', addresses: ['replit.com/*', '*.replit.com/*', 'repl.it/*'] },
  { name: 'Glitch', addresses: ['glitch.com/*', '*.glitch.me/*'], elements: ['.glitch-embed-wrap'] },
  {
    name: 'Thebe',
    addresses: ['*/thebe@*', '*/thebelab@*', 'mybinder.org/*', '*.mybinder.org/*'],
    inline: ['thebelab.bootstrap(', 'thebe.bootstrap('],
    elements: ['.thebe-launch-button', '.thebelab-button', 'script[type=text/x-thebe-config]'],
  },
  {
    name: 'Kotlin Playground',
    addresses: ['*/kotlin-playground@*', '*/kotlin-playground/*', 'play.kotlinlang.org/*'],
    inline: ['KotlinPlayground('],
  },
  { name: 'Go Playground', addresses: ['play.golang.org/*', 'go.dev/play/*', 'go.dev/_/compile*'] },
  { name: 'Rust Playground', addresses: ['play.rust-lang.org/*', 'play.integer32.com/*'] },
]
