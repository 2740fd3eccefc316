"""The model of a policy: from a tree with places to resolved states, tools and conditions."""
