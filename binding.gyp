{
  "targets": [
    {
      "target_name": "offloop",
      "dependencies": ["<!(node -p \"require('node-addon-api').targets\"):node_addon_api_except"],
      "defines": ["NAPI_VERSION=8", "OPENSSL_API_COMPAT=30000", "OPENSSL_NO_DEPRECATED"],
      "include_dirs": ["src"],
      "sources": [
        "src/addon.c",
        "src/args.c",
        "src/env.c",
        "src/errors.c",
        "src/hold.c",
        "src/job.c",
        "src/op_checksum.c",
        "src/op_cipher.c",
        "src/op_hash.c",
        "src/op_hmac.c",
        "src/operations.c",
        "src/pool.c",
        "src/store.cc",
        "src/core/cipher.c",
        "src/core/contexts.c",
        "src/core/cpu.c",
        "src/core/crc.c",
        "src/core/crc_clmul.c",
        "src/core/crc_pmull.c",
        "src/core/crc_slice.c",
        "src/core/crc_vpclmul.c",
        "src/core/digest.c",
        "src/core/once.c",
        "src/core/status.c"
      ],
      "cflags": ["-Wall", "-Wextra", "-fvisibility=hidden", "-O3"],
      "cflags_c": ["-std=gnu11"],
      "cflags_cc": ["-std=gnu++17"],
      "conditions": [
        ["OS=='linux'", { "ldflags": ["-Wl,-z,nodelete"] }]
      ]
    }
  ]
}
