{
  "targets": [
    {
      "target_name": "limit",
      "defines": ["NAPI_VERSION=8", "OPENSSL_API_COMPAT=30000", "OPENSSL_NO_DEPRECATED"],
      "sources": ["limit.c"],
      "cflags": ["-Wall", "-Wextra", "-fvisibility=hidden", "-O3"],
      "cflags_c": ["-std=gnu11"]
    }
  ]
}
