"""A language server for policies: what an editor shows while one types. Needs the extra ``lsp`` (``pip install 'fsmc[lsp]'``).

``symbols`` finds names and their uses in a document, ``places`` turns offsets into positions of the protocol, ``hover``,
``naming`` and ``completion`` answer, ``server`` speaks.
"""
