import type { ProductSigns } from './product.ts'

/** API references: documentation with text and samples, most with a console that sends requests. */
export const referenceProducts: readonly ProductSigns[] = [
  {
    name: 'Swagger UI',
    addresses: ['*/swagger-ui*.js', '*/swagger-ui*.css', '*/swagger-ui-dist*', '*/swagger-initializer.js'],
    inline: ['SwaggerUIBundle(', 'SwaggerUI(', 'SwaggerUIStandalonePreset'],
    elements: ['#swagger-ui', '.swagger-ui'],
    reference: {
      roots: ['.swagger-ui'],
      // Versions 3 and 4 have no aria-expanded here.
      collapsed: [
        '.opblock-tag[data-is-open="false"]:not(:has([aria-expanded]))',
        '.opblock:not(.is-open) > .opblock-summary:not(:has([aria-expanded]))',
        '.model-toggle.collapsed:not([aria-expanded] *)',
      ],
      consoles: {
        'Try it out': ['.try-out', '.execute-wrapper', '.btn.execute', '.live-responses-table', '.curl-command'],
        Authorize: ['.auth-wrapper', '.authorization__btn', '.dialog-ux'],
        'fields of server variables': ['.servers .computed-url + div input', '.servers input'],
        'address of the document': ['.download-url-wrapper'],
      },
    },
  },
  {
    name: 'RapiDoc',
    addresses: ['*/rapidoc@*', '*/rapidoc/*', '*/rapidoc-min.js', '*/rapidoc.js'],
    elements: ['rapi-doc', 'rapi-doc-mini', 'rapi-request'],
    reference: {
      roots: ['rapi-doc:defined', 'rapi-doc-mini:defined'],
      attributes: [
        ['rapi-doc, rapi-doc-mini', 'allow-try', 'false'],
        ['rapi-doc:not([render-style="view"])', 'render-style', 'read'],
      ],
      panels: ['.row:has(> [part~="btn-response-status"]) ~ div'],
      collapsed: ['.section-tag.collapsed > .section-tag-header', '.endpoint-head.collapsed'],
      consoles: {
        'Try it out': ['[part="wrap-request-btn"]', '[part="btn btn-try"]', '[part="btn btn-fill"]', 'rapi-request'],
        Authorize: ['#auth input', '#auth button'],
        'fields of server variables': ['[part~="textbox-server-var"]'],
        'address of the document': ['[part~="textbox-spec-url"]', '[part~="file-input"]'],
      },
    },
  },
  {
    name: 'Stoplight Elements',
    addresses: ['*/@stoplight/elements*', '*.stoplight.io/*'],
    elements: ['elements-api', 'elements-stoplight-project', '.sl-elements-api', '.TryItPanel'],
    reference: {
      roots: ['elements-api:defined', 'elements-stoplight-project:defined', '.sl-elements-api', '.sl-elements'],
      attributes: [['elements-api', 'layout', 'stacked']],
      // The groups and operations of the stacked layout.
      collapsed: ['div.sl-cursor-pointer.sl-mx-auto', 'div.sl-cursor-pointer.sl-justify-between'],
      consoles: { 'Try it out': ['.TryItPanel'] },
    },
  },
  {
    name: 'Scalar',
    addresses: ['*/@scalar/api-reference*', '*/@scalar/api-client*', '*.scalar.com/*'],
    inline: ['Scalar.createApiReference('],
    elements: ['script#api-reference', '.scalar-app', '.scalar-api-reference', '.scalar-api-client'],
    reference: {
      roots: ['.scalar-api-reference', '.scalar-app:has(.references-rendered)'],
      collapsed: ['.show-more'],
      // The examples of a property are shown by a pointer too, without a script.
      popups: ['[id^="headlessui-"]:is([id*="popover"], [id*="listbox"], [id*="menu"])', 'button.decoration-dotted'],
      consoles: {
        'Try it out': ['.show-api-client-button', '.scalar-api-client', '.scalar-client-modal'],
        Authorize: ['.scalar-reference-intro-auth input', '.scalar-reference-intro-auth button'],
        'Ask AI': ['.agent-scalar', '.agent-button-container'],
        'Generate MCP': ['.explore-scalar', '.scalar-mcp-layer'],
        'developer tools': ['.api-reference-toolbar', '.references-developer-tools'],
      },
    },
  },
  {
    name: 'OpenAPI Explorer',
    addresses: ['*/openapi-explorer@*', '*/openapi-explorer/*'],
    elements: ['openapi-explorer'],
    reference: {
      roots: ['openapi-explorer:defined'],
      attributes: [['openapi-explorer', 'hide-console', '']],
      consoles: {
        'Try it out': ['.request-panel button', '[part~="btn-try"]'],
        Authorize: ['#auth input', '#auth button'],
      },
    },
  },
  {
    name: 'Redoc',
    addresses: ['*/redoc@*', '*/redoc.standalone.js'],
    inline: ['Redoc.init('],
    elements: ['redoc', '.redoc-wrap'],
    reference: {
      roots: ['.redoc-wrap'],
      // The content of an open response follows its button.
      collapsed: ['button[aria-label^="expand"]', 'button:has(> strong):last-child'],
      consoles: {},
    },
  },
]
